"""The projects of suspects are replayed as other people's, never collected as ours."""

collect_ignore = ["suspects/project", "incidents/project"]
