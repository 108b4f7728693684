"""What one batchUpdate may ask, by what it is about."""
