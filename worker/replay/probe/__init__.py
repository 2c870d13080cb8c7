"""Rides in the processes of the suspect and notes what they do: standard library only, Python 3.9 on."""
