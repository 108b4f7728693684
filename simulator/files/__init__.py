"""The files of a client, read: text that people wrote comes in, core types go out.

`client/` reads client.yaml and all that it names; `scenarios/`, `personas`, `prompts`, `rubrics`,
`mutations` and `knowledge` read one kind of file each; `answers/`, `dialogs/`, `questions` and
`rankings` read what other systems exported, by the column names in `column_names.json`. Every
complaint names file and line and says what would be right.
"""
