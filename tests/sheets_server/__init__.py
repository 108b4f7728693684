"""Google Sheets on loopback, for tests: a real HTTP server with sign-in, limits and faults."""
