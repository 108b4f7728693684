"""The command line: an app and one file per command."""
