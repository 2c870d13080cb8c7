"""The project of suspects is other people's, as far as we are concerned: it is replayed, never collected."""

collect_ignore = ["project"]
