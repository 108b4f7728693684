"""File formats: the bytes of a file come in, rows or data with their lines go out.

`sources` opens and replaces files and words complaints about them; `yaml/`, `xlsx/`, `table_files`,
`json_values` and `row_files` read one format each, within the bounds of `core.bounds`; `records`
and `traces` make rows of ours of what other tools export;
`validation` holds data against a pydantic model. Nothing here knows what the data is about.
"""
