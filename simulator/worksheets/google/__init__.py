"""Google Sheets: with which credentials, reading, and writing so that nothing comes twice."""
