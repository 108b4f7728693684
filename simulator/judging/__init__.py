"""The evidence of one turn or talk becomes outcomes, flags and blame."""
