"""The sheet: workbooks described, the columns people review in, written and read back."""
