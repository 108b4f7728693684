"""One question to one model, and its answer.

Messages, or texts to embed, go in; text or vectors come out, with the tokens they took, or the one
typed reason why there is no answer. Around each call: the journal, the budget, rate limits,
retries, and what an endpoint turned out to accept.

Requests are given to aiohttp as they are. The `openai` SDK takes 8.6 CPU ms for the six calls of
a conversation of three turns where this takes 1.0, and 0.42 s to import where this takes 0.11
(`python -m benchmarks client`); `client: sdk` beside a model calls it through the SDK, for what
hooks into that, such as libraries that trace calls.
"""
