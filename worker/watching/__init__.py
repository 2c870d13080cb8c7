"""Find runs that no delivery told of, by looking at the lists of runs themselves."""
