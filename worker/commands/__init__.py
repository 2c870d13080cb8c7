"""The commands of `flake-triage`, one module a group; `worker/cli.py` puts them together."""
