"""The project of the incidents' shapes is replayed, never collected."""

collect_ignore = ["project"]
