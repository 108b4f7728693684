"""Improving a bot: the failures of a run come in, proved changes of the client's files go out.

`search` tries candidates for each fault until one is proved: `candidates` words them from what
people wrote (`proposals` has the rules, `model` writes and reads with one), `matter` says what a
corrected answer asks of others, `proof` asks derived questions before and after a change, which
`plays` plays; `decision` accepts or rejects. `diffs` reads and applies changes, `carried` takes the
scenarios along that expect a deleted entry. `diagnosis` names suspects, `interventions` tests them,
`stored` keeps proofs, `list_file` writes the list alone.
"""
