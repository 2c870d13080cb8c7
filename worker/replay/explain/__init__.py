"""From facts to a cause: pure rules, one module for each cause of the closed set."""
