"""The queue over DBOS: what was asked for is run, tried again, or becomes a dead letter."""
