"""The application: rules, store, GitHub client and the web face."""
