"""What a conversation comes to: the state of each claim, the result, the causes.

In: readings, ratings and people's verdicts. Out: how each claim stands over the conversation,
passed, failed, undecided or unchecked with the reason, and the causes of a weak turn. No text is
read here.
"""
