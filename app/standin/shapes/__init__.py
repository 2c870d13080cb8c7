"""JSON as GitHub serves it, built from the stand-in's records."""
