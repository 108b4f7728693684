"""A client's folder: client.yaml, and all that it names."""
