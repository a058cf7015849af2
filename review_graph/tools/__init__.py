"""Read-only, aggregate-only questions about one review; shared by the investigator and the MCP server."""
