"""Watches a running trial for a rank that waits for what can no longer come."""
