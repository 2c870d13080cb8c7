"""What the worker does beside its tasks: remove what is past its time, and keep count."""
