"""What the stand-in's API answers, one module for each kind of thing."""
