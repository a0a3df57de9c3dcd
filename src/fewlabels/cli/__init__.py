"""The command line: one command a file, thin. A new command is a file with a click command and a line in `main.COMMANDS`."""
