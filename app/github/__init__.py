"""GitHub over HTTP: one client, its credentials, and the translation of its words into ours."""
