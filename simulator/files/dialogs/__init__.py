"""Recorded talks of people and operators, read for import-dialogs and measure alone."""
