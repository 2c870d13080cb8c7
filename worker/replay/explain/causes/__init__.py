"""One module for each cause of the closed set: its border in the docstring, and `find(scene)`."""
