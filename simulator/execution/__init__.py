"""A run: what it would cost, resumed or begun; its episodes played, judged and saved."""
