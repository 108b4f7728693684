"""Improving a bot: the failures of a run come in, proved changes of the client's files go out.

`proposals` makes diffs by rules, `wording` has a model reword them, `diffs` reads and applies them.
`proof` plays users and questions that the proposer never saw, before and after a change, on the
cells that `cells` chooses; `decision` accepts or rejects it. `list_file` writes the list alone.
"""
