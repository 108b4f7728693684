"""What commands show: values of the rooms below come in, lines and tables for a terminal go out."""
