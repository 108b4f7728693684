"""YAML as people write it: read with its lines, written, and changed in one place."""
