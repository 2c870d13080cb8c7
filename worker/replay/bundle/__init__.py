"""The evidence of a replay: written, verified, shown, repeated."""
