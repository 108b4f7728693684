"""Every reader of foreign input, given what nobody would write.

`python -m tests.fuzz [READER…] [--seconds 60]` mutates sound examples until the time is up; the
slow suite tries a fixed number of them. A reader reads, or raises the error it is known for:
anything else, an example that takes long, and memory that grows are findings.
"""
