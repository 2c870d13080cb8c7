"""What one rank does, in order: a graph of its collectives, branches and raises, through the functions of its
file.
"""
