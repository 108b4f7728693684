"""The worksheets of a run: Log, Review, Summary and Config, for any kind of spreadsheet."""
