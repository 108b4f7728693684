"""What people write, whatever it is about: YAML, csv, xlsx, JSON; complaints say file and line."""
