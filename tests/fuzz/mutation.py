"""Sound examples, damaged: by seed, so that each finding can be had again."""

import random
import zipfile
from io import BytesIO

_SIGNS = [
    *(b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\x1b[2J", b"\r", b"\n\n"),
    *(b"\t", b" ", b'"', b"'", b",", b";", b":", b"|", b"-", b"- ", b"#", b"&a ", b"*a", b"!!x "),
    *(b"{", b"}", b"[", b"]", b"{{", b"}}", b"{%", b"${", b"<!--", b"-->", b"</think>", b"```"),
    *(b"null", b"true", b"NaN", b"1e999", b"-1", b"0", b"9" * 400, b"1.5", b"~", b"<<", b"?"),
    *(
        "あ".encode(),
        "\u202e".encode(),
        "\U000e0041".encode(),
        b"data:",
        b"event: x",
        b"\n\ndata: ",
    ),
    *(b"=1+1", b"\\u0000", b"\\ud800", b"<title>", b"&#x;", b"A" * 5_000, b"()" * 500, b"[" * 500),
]


def mutated(example: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """An example with some damage, in the parts of a workbook where it is one."""
    if example.startswith(b"PK") and rng.random() < 0.9:
        return _workbook(example, rng)
    return _bytes(example, rng, others)


def _bytes(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        at, end = sorted(rng.randint(0, len(data)) for _ in range(2))
        match rng.randrange(8):
            case 0:
                data = data[:at] + data[end:]
            case 1:
                data = data[:end] + data[at:end] * rng.choice((1, 2, 30)) + data[end:]
            case 2:
                other = rng.choice(others)
                start = rng.randint(0, len(other))
                data = data[:at] + other[start : start + 200] + data[at:]
            case 3:
                data = data[:at]
            case 4 if data:
                data = data[: at - 1] + bytes([rng.randrange(256)]) + data[at:]
            case _:
                data = data[:at] + rng.choice(_SIGNS) * rng.choice((1, 1, 1, 3)) + data[at:]
        data = data[:200_000]
    return data


def _workbook(example: bytes, rng: random.Random) -> bytes:
    written = BytesIO()
    with zipfile.ZipFile(BytesIO(example)) as book, zipfile.ZipFile(written, "w") as made:
        names = book.namelist()
        chosen = rng.choice(names)
        for name in names:
            content = book.read(name)
            if name == chosen:
                if rng.random() < 0.1:
                    continue
                content = _bytes(content, rng, [content])
            made.writestr(name, content)
    return written.getvalue()
