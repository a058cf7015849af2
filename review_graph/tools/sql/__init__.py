"""Aggregates asked in SQL. A query is read, never run: there is no engine, and nothing outside that it could reach."""
