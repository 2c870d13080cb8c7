"""Copies of all databases while the service runs, and their way back."""
