"""A client's scenarios: read, and expected answers put into them."""
