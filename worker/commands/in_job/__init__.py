"""A replay as a step of the job that failed: one budget, a summary, annotations and outputs."""
