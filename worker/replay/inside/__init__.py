"""Runs inside the sandbox as the parent of pytest: standard library only, Python 3.9 on."""
