"""The root cause in a job's log: the line a person would quote, its test, and what only followed from it."""
