"""The bots under test: one file or package for each kind.

A question and the talk so far come in; a `Reply` with the bot's text and documents goes out, or a
`TargetError` that says how the bot failed. A kind reads its keys of `target:` into its `Settings`
and opens a bot with a `TargetContext`. `_guard` stands between every bot and the run: caps,
deadline, journal. `_isolated` and `_threads` run Python of other people where it can block or
crash nothing else; `_importing` loads it; `_shapes` reads what it returns. `_wire` is what bots
behind HTTP and WebSockets share.
"""
