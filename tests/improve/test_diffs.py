"""Diffs of a client's files: read, fitted, tried on a copy."""

import subprocess
from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.improve.diffs import changed_files, copy_with, fitting, read_diffs, unified, write

TEXT = "id,title,content\na,Hours,We open at 9.\nb,Price,It costs 5 euros.\n"
AFTER = TEXT.replace("9.", "10.")


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    folder = tmp_path / "scenarios" / "acme"
    folder.mkdir(parents=True)
    (folder / "faq.csv").write_text(TEXT, "utf-8")
    return folder


def saved(tmp_path: Path, text: str, name: str = "a.diff") -> Path:
    path = tmp_path / name
    path.write_text(text, "utf-8", newline="")
    return path


def test_a_diff_is_tried_on_a_copy_and_then_made(acme: Path, tmp_path: Path) -> None:
    head = "reason: we open later now\nconversations: a/calm/1, b/calm/1\n\n"
    diffs = read_diffs(saved(tmp_path, head + unified("faq.csv", TEXT, AFTER)))
    assert ("a/calm/1", "b/calm/1") == diffs[0].listed("conversations")
    assert "we open later now" == diffs[0].said["reason"]
    copy = copy_with(diffs, acme, tmp_path / "place")
    assert (AFTER, TEXT) == tuple((f / "faq.csv").read_text("utf-8") for f in (copy, acme))
    assert "acme" == copy.name
    assert ("faq.csv",) == write(diffs, acme)
    assert AFTER == (acme / "faq.csv").read_text("utf-8")


@pytest.mark.parametrize("name", ["faq.csv", "b/faq.csv", "b/scenarios/acme/faq.csv"])
def test_paths_may_be_those_of_the_repository(acme: Path, tmp_path: Path, name: str) -> None:
    diffs = read_diffs(saved(tmp_path, unified(name, TEXT, AFTER)))
    assert ["faq.csv"] == list(changed_files(diffs, acme))


def test_what_git_prints_is_read(acme: Path, tmp_path: Path) -> None:
    def git(*args: str) -> str:
        done = subprocess.run(["git", *args], cwd=tmp_path, capture_output=True, check=True)
        return done.stdout.decode()

    git("init", "-q")
    git("add", ".")
    (acme / "faq.csv").write_text(AFTER, "utf-8")
    (acme / "note.txt").write_text("new\n", "utf-8")
    git("add", "-N", ".")
    printed = git("diff")
    (acme / "faq.csv").write_text(TEXT, "utf-8")
    (acme / "note.txt").unlink()
    assert {"faq.csv": AFTER, "note.txt": "new\n"} == {
        name: text
        for name, (_, text) in changed_files(read_diffs(saved(tmp_path, printed)), acme).items()
    }


def test_line_ends_and_encoding_stay(acme: Path, tmp_path: Path) -> None:
    before = "id,title,content\r\na,営業,九時から\r\n"
    (acme / "faq.csv").write_bytes(before.encode("cp932"))
    change = unified("faq.csv", before, before.replace("九", "十")).replace("\r\n", "\n")
    write(read_diffs(saved(tmp_path, change)), acme)
    assert before.replace("九", "十").encode("cp932") == (acme / "faq.csv").read_bytes()


def test_several_diffs_of_one_file_are_made_together(acme: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mends"
    folder.mkdir()
    for name, after in {
        "1.diff": AFTER,
        "2.diff": TEXT + "c,New,One.\n",
        "3.diff": TEXT + "d,Too,Two.\n",
    }.items():
        saved(folder, unified("faq.csv", TEXT, after), name)
    [(_, text)] = changed_files(read_diffs(folder), acme).values()
    assert text.startswith(AFTER)
    assert {"c,New,One.", "d,Too,Two."} == set(text.splitlines()[3:])


def test_what_does_not_fit_is_told(acme: Path, tmp_path: Path) -> None:
    other = unified("faq.csv", TEXT.replace("Hours", "Times"), AFTER)
    with pytest.raises(InputError, match=r"faq\.csv:2: is not as a.diff has it"):
        changed_files(read_diffs(saved(tmp_path, other)), acme)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "changes nothing; write a unified diff"),
        ("only a remark\n", "changes nothing"),
        ("--- a\n+++ b\n", "changes nothing"),
    ],
)
def test_a_file_that_is_no_diff_is_told(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_diffs(saved(tmp_path, text))


@pytest.mark.parametrize("name", ["../../secret.txt", "/etc/passwd", "nothing.csv"])
def test_nothing_outside_of_the_folder_is_changed(acme: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.txt").write_text(TEXT, "utf-8")
    diffs = read_diffs(saved(tmp_path, unified(name, TEXT, AFTER)))
    with pytest.raises(InputError, match="which is not in"):
        write(diffs, acme)
    assert TEXT == (tmp_path / "secret.txt").read_text("utf-8")


def test_a_file_is_not_removed(acme: Path, tmp_path: Path) -> None:
    gone = unified("faq.csv", TEXT, "").replace("+++ faq.csv", "+++ /dev/null")
    with pytest.raises(InputError, match="removes faq\\.csv; remove a file by hand"):
        changed_files(read_diffs(saved(tmp_path, gone)), acme)


def test_a_folder_without_diffs_says_how_to_get_some(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--propose -o DIR makes some"):
        read_diffs(tmp_path)


def test_lines_that_a_diff_does_not_name_keep_their_ends(tmp_path: Path, acme: Path) -> None:
    (acme / "faq.csv").write_text(
        'id,title,content\na,Hours,"At 9.\r\nNot on Sundays."\nb,Price,5.\n', "utf-8", newline=""
    )
    diff = "--- faq.csv\n+++ faq.csv\n@@ -4 +4 @@\n-b,Price,5.\n+b,Price,6.\n"
    write(read_diffs(saved(tmp_path, diff)), acme)
    text = (acme / "faq.csv").read_bytes().decode()
    assert 'id,title,content\na,Hours,"At 9.\r\nNot on Sundays."\nb,Price,6.\n' == text


def test_two_changes_of_several_places_each_fit_together(tmp_path: Path, acme: Path) -> None:
    """One changes lines above and below what the other adds."""
    lines = [f"line {n}" for n in range(1, 31)]
    before = "\n".join(lines) + "\n"
    (acme / "note.txt").write_text(before, "utf-8")
    both = before.replace("line 3\n", "line 3\nnew\n").replace("line 28\n", "line 28 and more\n")
    between = before.replace("line 15\n", "line 15\nbetween\n")
    saved(tmp_path, unified("note.txt", before, both), "a.diff")
    saved(tmp_path, unified("note.txt", before, between), "b.diff")
    diffs = [d for name in ("a.diff", "b.diff") for d in read_diffs(tmp_path / name)]
    write(diffs, acme)
    after = both.replace("line 15\n", "line 15\nbetween\n")
    assert after == (acme / "note.txt").read_text("utf-8")


def test_what_is_said_above_a_diff_begins_a_line(tmp_path: Path) -> None:
    head = "Seen at 9: the reason: none\nreason: as Ann wrote: so\n\n"
    [diff] = read_diffs(saved(tmp_path, head + unified("faq.csv", TEXT, AFTER)))
    assert {"reason": "as Ann wrote: so"} == diff.said


def test_of_two_that_change_the_same_line_the_first_is_made(acme: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mends"
    folder.mkdir()
    for name, hour in {"1.diff": "10.", "2.diff": "11."}.items():
        saved(folder, unified("faq.csv", TEXT, TEXT.replace("9.", hour)), name)
    taken, left = fitting(read_diffs(folder), acme)
    assert (["1.diff"], ["2.diff"]) == ([d.name for d in taken], [d.name for d in left])
