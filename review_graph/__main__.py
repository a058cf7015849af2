"""`python -m review_graph` is the command line."""

from review_graph.doors.cli import main

if __name__ == "__main__":
    main()
