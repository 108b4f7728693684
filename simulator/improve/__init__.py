"""Improving a bot: the failures of a run come in, proved changes of the client's files go out.

`proposals` makes diffs by rules, `wording` has a model reword them, `diffs` reads and applies them.
`proof` plays users and questions that the proposer never saw, before and after a change, on the
cells that `cells` chooses; `decision` accepts or rejects it. `list_file` writes the list alone.
`diagnosis` finds what may be one cause of many failures, `interventions` tests it by asking again.
`search` finds a proved fix of each fault, which `stored` keeps until it is accepted; `carried`
takes along the scenarios that expect an entry which a diff deletes or renames.
"""
