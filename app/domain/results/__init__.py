"""Results files of test runners, of many dialects and some broken, as results, claims and problems."""
