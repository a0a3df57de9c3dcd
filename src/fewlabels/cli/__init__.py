"""The command line: one command per file, thin.

A new command is a file with a click command, a line in `main.SHORT`, and its group in `main.GROUPS`.
"""
