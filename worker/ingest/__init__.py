"""Bring in job executions and commits from files: the same pipeline as for GitHub's runs, without GitHub."""
