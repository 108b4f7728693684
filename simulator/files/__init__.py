"""What people wrote becomes core types; every complaint says file, line, and what is right."""
