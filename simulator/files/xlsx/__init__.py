"""An xlsx file read in its own right: its zip, its XML, its cells as they are shown."""
