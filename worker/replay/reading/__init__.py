"""Reads what the probe wrote: journals, call records, stacks and Flight Recorder dumps."""
