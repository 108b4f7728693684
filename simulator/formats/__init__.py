"""File formats: the bytes of a file come in, rows or data with their lines go out.

`sources` opens and replaces files and words complaints about them; `yaml/`, `xlsx/`, `table_files`,
`json_lists` and `row_files` read one format each, within the bounds of `core.bounds`;
`validation` holds data against a pydantic model. Nothing here knows what the data is about.
"""
