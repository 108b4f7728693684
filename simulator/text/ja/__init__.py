"""What belongs to Japanese: words and phrases as data, and the rules that read its morphemes."""
