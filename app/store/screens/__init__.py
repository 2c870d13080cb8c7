"""Read-only joins for pages: each names the index it uses, and every list has a limit."""
