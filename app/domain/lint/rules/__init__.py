"""The rules, one module each; its docstring gives the reason, and the incident behind it."""
