"""Small questions about a Japanese or English text, answered by rules and word lists.

In: a text and its language. Out: its tokens, normal form, sentences and clauses with amounts and
polarity; whether it refuses, asks back, hands over or only greets. How people say it is data, in
`en/*.yaml` and `ja/*.yaml`; nothing here knows of conversations or scores.
"""
