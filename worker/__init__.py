"""The worker: the engine process, its stages, and the command line."""
