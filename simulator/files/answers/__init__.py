"""Answers that exist already: a table or JSON lines with a question and an answer in each row."""
