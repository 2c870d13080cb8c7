"""The text log of a job: its lines made clean, its steps, its tests' failures, and why it ended."""
