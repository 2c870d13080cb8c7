"""Pure rules: what the service believes, and why. Nothing here reads a file, a socket or the clock."""
