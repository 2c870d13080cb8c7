"""What can be seen of a trial from outside its processes: exits, signals, survivors."""
