# mypy: ignore-errors
"""python eval.py BUSINESS FAULT FOLDER: what a repaired folder answers, as JSON."""

import importlib.util
import json
import shutil
import sys
import tempfile
from pathlib import Path

import yaml


def load(folder):
    spec = importlib.util.spec_from_file_location("bot", folder / "bot.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda question: module.answer(question, [])[0]


def right(said, case):
    has = all(any(each in said for each in part.split("|")) for part in case["says"])
    return has and not any(part in said for part in case.get("not", ()))


def main(business, fault, folder):
    here = Path(__file__).parent / business
    hidden = yaml.safe_load((here / "faults" / fault / "hidden.yaml").read_text("utf-8"))
    untouched = yaml.safe_load((here / "untouched.yaml").read_text("utf-8"))
    after, whole = load(Path(folder)), load(here)
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(here, place, dirs_exist_ok=True)
        shutil.copytree(here / "faults" / fault / "overlay", place, dirs_exist_ok=True)
        faulty = load(Path(place))
        spared = [q for q in untouched if faulty(q) == whole(q)]
    count = sum(right(after(case["ask"]), case) for case in hidden)
    wrong = [q for q in spared if after(q) != whole(q)]
    sys.stdout.write(
        json.dumps(
            {
                "repaired": 2 * count > len(hidden),
                "hidden_right": count,
                "hidden": len(hidden),
                "newly_wrong": len(wrong),
                "untouched": len(untouched),
            },
            ensure_ascii=False,
        )
    )


main(*sys.argv[1:])
