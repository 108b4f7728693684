"""Google Sheets on loopback: a real HTTP server with sign-in, limits and faults on demand."""
