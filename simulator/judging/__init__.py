"""Evidence becomes outcomes, flags, blame, and the figures of a run."""
