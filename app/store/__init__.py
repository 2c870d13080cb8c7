"""The database: each module owns its tables, their reads and their writes."""
