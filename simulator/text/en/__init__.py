"""What belongs to English: words and phrases as data, and the rules that read its words."""
