"""Holds a trial to its limits and keeps it away from everything else."""
