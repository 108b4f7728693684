"""mogi beside other tools: the table (`table.py`), the server they call, a file for each."""
