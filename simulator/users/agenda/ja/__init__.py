"""How the agenda user puts its matter and its facts in Japanese."""
