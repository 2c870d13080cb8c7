"""Bringing in what GitHub holds of a run: artifacts, logs, and which code was tested."""
