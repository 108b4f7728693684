"""What to check when an endpoint refuses, by what it says."""

import re

_ADVICE = (
    (
        r"credit|balance|billing|quota|arrearage|overdue|^402",
        "look at the credit and the limits of the account behind {key}",
    ),
    (
        r"context|too long|must have less than|exceed|too many (input )?tokens",
        (
            "the prompt is longer than what the model reads: give it more room (Ollama: num_ctx, "
            "llama.cpp: -c, vLLM: --max-model-len), or take another one"
        ),
    ),
    (
        r"system memory|load",
        "the server cannot load this model: name a smaller one, or give the machine more memory",
    ),
    (
        r"api.?key|authori[sz]ation|unauthenticated|connected db|^401|^403",
        "check {key} (is it set, and is it the key of this base_url?) and the model's name",
    ),
    (
        r"^404: (no message|.*not found\W*$|<)|^405|^307|^308|redirect",
        "check base_url, which mostly ends in /v1, and the model's name",
    ),
)
_OTHERWISE = "check the model's name, base_url and {key}; `mogi check` shows what is set"


def advice(said: str, key_name: str) -> str:
    """What to check, in a clause. `said` begins with the status."""
    found = (text for told, text in _ADVICE if re.search(told, said, re.IGNORECASE))
    return next(found, _OTHERWISE).replace("{key}", key_name)
