"""Runs in a process of its own between the engine and the suspect: makes the namespaces, then becomes it."""
