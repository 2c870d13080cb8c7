"""What makes the failure of a test impossible to diagnose, found in its source before it fails."""
