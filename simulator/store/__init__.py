"""What is remembered: SQLite through SQLAlchemy Core."""
