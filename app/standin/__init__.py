"""A stand-in GitHub with state, over real HTTP, for the demo and the tests."""
