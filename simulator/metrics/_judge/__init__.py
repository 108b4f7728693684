"""The judge: what it is shown and asked, its form, and what its votes come to."""
