"""The demo: incident 1 played through the whole service against a stand-in GitHub."""
