"""The command line: what is typed comes in, text or JSON and an exit status go out.

A command (a module here) reads its options, makes one call into the rooms below, and answers with
one view of `screens` or, with `--json`, one type of `contracts`. `app` finds the commands, `exits`
makes sentences and a status of errors, `common` and `running` hold what several commands share.
"""
