"""How the agenda user puts its matter in English."""
