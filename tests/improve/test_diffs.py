"""Diffs of a client's files: read, fitted, tried on a copy."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from simulator.core.bounds import MAX_COPIED, MAX_LINES
from simulator.core.errors import InputError
from simulator.files.client.folder import load_client
from simulator.formats.own_files import unified
from simulator.improve.diffs import (
    apply_line,
    by_hand,
    changed_files,
    copy_with,
    fitting,
    reached_besides,
    read_diffs,
    write,
)

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


def test_a_mark_that_excel_writes_is_no_part_of_a_line(acme: Path, tmp_path: Path) -> None:
    before = "\ufeffid,title,content\na,営業,九時から\n"
    (acme / "faq.csv").write_text(before, "utf-8")
    change = unified("faq.csv", before, before.replace("九", "十"))
    assert "\ufeff" in change
    write(read_diffs(saved(tmp_path, change)), acme)
    assert before.replace("九", "十") == (acme / "faq.csv").read_text("utf-8")


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
    with pytest.raises(InputError, match=r"faq\.csv:2: differs from what a.diff expects"):
        changed_files(read_diffs(saved(tmp_path, other)), acme)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "isn't a diff; use a unified diff"),
        ("language: en\n", "isn't a diff; use a unified diff"),
        ("only a remark\n", "isn't a diff"),
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
    with pytest.raises(InputError, match="which isn't in"):
        write(diffs, acme)
    assert TEXT == (tmp_path / "secret.txt").read_text("utf-8")


def test_a_file_is_not_removed(acme: Path, tmp_path: Path) -> None:
    gone = unified("faq.csv", TEXT, "").replace("+++ faq.csv", "+++ /dev/null")
    with pytest.raises(InputError, match="removes faq\\.csv; remove a file by hand"):
        changed_files(read_diffs(saved(tmp_path, gone)), acme)


def test_a_folder_without_diffs_says_how_to_get_some(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--propose -o DIR"):
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


def _added(name: str) -> str:
    return f"--- /dev/null\n+++ {name}\n@@ -0,0 +1 @@\n+evil\n"


def test_a_new_file_is_not_written_through_a_link(acme: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (acme / "out").symlink_to(tmp_path / "home")
    with pytest.raises(InputError, match="outside of the client's folder"):
        write(read_diffs(saved(tmp_path, _added("out/evil.txt"))), acme)
    assert not list((tmp_path / "home").iterdir())


def test_a_new_file_is_its_owners(acme: Path, tmp_path: Path) -> None:
    write(read_diffs(saved(tmp_path, _added("note.txt"))), acme)
    assert 0o600 == (acme / "note.txt").stat().st_mode & 0o777


@pytest.mark.parametrize("name", ["a/" * 5_000 + "faq.csv", "a" * 5_000])
def test_a_path_that_no_file_can_have_is_told(acme: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="t in"):
        changed_files(read_diffs(saved(tmp_path, unified(name, TEXT, AFTER))), acme)


def test_a_diff_of_too_many_lines_is_told(tmp_path: Path) -> None:
    text = unified("faq.csv", TEXT, AFTER) + "+x\n" * MAX_LINES
    with pytest.raises(InputError, match="more than 100,000 lines; split it"):
        read_diffs(saved(tmp_path, text))


def test_a_line_number_without_end_is_told(tmp_path: Path) -> None:
    text = f"--- faq.csv\n+++ faq.csv\n@@ -{'1' * 5_000} +1 @@\n-a\n+b\n"
    with pytest.raises(InputError, match="this isn't a"):
        read_diffs(saved(tmp_path, text))


def test_a_copy_holds_nothing_from_outside(acme: Path, tmp_path: Path) -> None:
    diffs = read_diffs(saved(tmp_path, unified("faq.csv", TEXT, AFTER)))
    (acme / "again").symlink_to(acme)  # a ring is walked once
    os.mkfifo(acme / "pipe")  # and nothing waits for a pipe
    copy = copy_with(diffs, acme, tmp_path / "one")
    assert AFTER == (copy / "faq.csv").read_text("utf-8")
    assert not (copy / "pipe").exists()
    (acme / "etc").symlink_to("/etc")
    with pytest.raises(InputError, match="leads to /etc, outside"):
        copy_with(diffs, acme, tmp_path / "two")


def test_a_folder_that_is_too_large_is_not_copied(
    acme: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    diffs = read_diffs(saved(tmp_path, unified("faq.csv", TEXT, AFTER)))
    with (acme / "large.bin").open("wb") as file:
        file.truncate(MAX_COPIED + 1)  # a file with a hole
    monkeypatch.setattr("simulator.improve.diffs.MAX_COPIED", 2_000_000)
    with pytest.raises(InputError, match="contains more than 2 MB; put"):
        copy_with(diffs, acme, tmp_path / "one")
    monkeypatch.setattr("simulator.improve.diffs.MAX_FILES", 1)
    with pytest.raises(InputError, match="contains more than 1 files"):
        copy_with(diffs, acme, tmp_path / "two")


def test_what_a_change_reaches_besides_is_told(tmp_path: Path) -> None:
    folder = Path(shutil.copytree("scenarios/demo-en", tmp_path / "demo"))
    text = (folder / "client.yaml").read_text("utf-8")
    more = 'judge: {model: m, base_url: "https://evil.example/v1", api_key_env: MY_SECRET}\n'
    (folder / "bot.py").write_text("a = 1\n", "utf-8")
    of_code = unified("bot.py", "a = 1\n", "a = 2\n")
    both = f"{unified('client.yaml', text, text + more)}diff -u bot.py bot.py\n{of_code}"
    diffs = read_diffs(saved(tmp_path, both))
    after = load_client(str(copy_with(diffs, folder, tmp_path / "place")), cwd=tmp_path)
    found = reached_besides(diffs[0], load_client(str(folder), cwd=tmp_path), after)
    assert "the changed code bot.py" == found[0]
    assert any("host https://evil.example" in each for each in found)
    assert any("variable MY_SECRET" in each for each in found)


def test_two_files_with_no_diff_line_between_are_two(acme: Path, tmp_path: Path) -> None:
    before, after = "-- a\n++ b\n", "-- c\n++ b\n++ d\n"
    (acme / "notes.sql").write_text(before, "utf-8")
    both = unified("notes.sql", before, after) + unified("faq.csv", TEXT, AFTER)
    for text in (both, f"diff -u notes.sql notes.sql\n{both}"):
        changes = changed_files(read_diffs(saved(tmp_path, text)), acme)
        assert {"notes.sql": after, "faq.csv": AFTER} == {n: t for n, (_, t) in changes.items()}


def test_a_folder_of_too_many_diffs_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulator.improve.diffs.MAX_DIFFS", 1)
    saved(tmp_path, unified("faq.csv", TEXT, AFTER))
    assert 1 == len(read_diffs(tmp_path))
    saved(tmp_path, unified("faq.csv", TEXT, AFTER), "b.patch")
    with pytest.raises(InputError, match="contains more than 1 diffs; verify fewer"):
        read_diffs(tmp_path)


@pytest.mark.parametrize(
    "name", [".git/config", ".envrc", ".github/workflows/ci.yml", "b/.git/config", "docs/.x/a.txt"]
)
@pytest.mark.parametrize("exists", [True, False])
def test_attack_a_diff_plants_a_dotfile(
    acme: Path, tmp_path: Path, name: str, exists: bool
) -> None:
    place = acme / name.removeprefix("b/")
    if exists:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("good\n", "utf-8")
    text = unified(name, "good\n", "evil\n") if exists else _added(name)
    diffs = read_diffs(saved(tmp_path, text))
    with pytest.raises(InputError, match="a diff can't change a dotfile"):
        copy_with(diffs, acme, tmp_path / "place")
    with pytest.raises(InputError, match="a diff can't change a dotfile"):
        write(diffs, acme)


def test_attack_a_link_leads_a_diff_to_a_dotfile(acme: Path, tmp_path: Path) -> None:
    (acme / ".git").mkdir()
    (acme / ".git" / "config").write_text("good\n", "utf-8")
    (acme / "knowledge").symlink_to(".git")
    (acme / "text.md").symlink_to(".git/config")
    for name in ("knowledge/config", "text.md"):
        diffs = read_diffs(saved(tmp_path, unified(name, "good\n", "evil\n")))
        with pytest.raises(InputError, match="a diff can't change a dotfile"):
            write(diffs, acme)


@pytest.mark.parametrize(
    ("name", "before", "after", "is_by_hand"),
    [
        ("faq.csv", TEXT, AFTER, False),
        ("scenarios.yaml", "- {id: a, query: q}\n", "- {id: b, query: q}\n", False),
        ("guidelines.md", "Be kind.\n", "Be brief.\n", False),
        ("client.yaml", "personas: [calm]", "personas: [angry]", False),
        ("client.yaml", "personas: [calm]", "personas: [calm]\nguidelines: [Be kind]", False),
        ("client.yaml", "personas: [calm]", "personas: [calm]\nmax_turns: 1", True),
        ("client.yaml", "kind: demo}", "kind: demo, version: two}", True),
        ("bot.py", "a = 1\n", "a = 2\n", True),
        ("Makefile", "all:\n", "all: evil\n", True),
        ("run.md", "a\n", "b\n", True),
    ],
)
def test_attack_a_diff_changes_more_than_texts(
    tmp_path: Path, name: str, before: str, after: str, is_by_hand: bool
) -> None:
    folder = tmp_path / "acme"
    folder.mkdir()
    client = "language: en\ntarget: {kind: demo}\nknowledge: faq.csv\npersonas: [calm]\n"
    files = {"client.yaml": client, "faq.csv": TEXT, "scenarios.yaml": "- {id: a, query: q}\n"}
    for each, text in {name: before, **files}.items():
        (folder / each).write_text(text, "utf-8")
    whole = (folder / name).read_text("utf-8")
    change = unified(name, whole, whole.replace(before, after))
    [diff] = read_diffs(saved(tmp_path, change))
    hand = by_hand(diff, load_client(str(folder), cwd=tmp_path))
    assert ((name,) if is_by_hand else ()) == hand


@pytest.mark.parametrize("prefix", ["", "b/", "b/scenarios/acme/"])
def test_git_makes_what_mogi_does_not_write(acme: Path, tmp_path: Path, prefix: str) -> None:
    (acme / "bot.py").write_text("a = 1\n", "utf-8")
    path = saved(tmp_path, "reason: code\n\n" + unified(f"{prefix}bot.py", "a = 1\n", "a = 2\n"))
    [diff] = read_diffs(path)
    subprocess.run(apply_line(diff, path, acme), shell=True, check=True)
    assert "a = 2\n" == (acme / "bot.py").read_text("utf-8")


@pytest.mark.parametrize(
    "text",
    [
        "old mode 100644\nnew mode 100755\n",
        "GIT binary patch\nliteral 6\nNcmZQzU|?imU|<0N01N;G\n\n",
        "Binary files a/faq.csv and b/faq.csv differ\n",
        "rename from faq.csv\nrename to other.csv\n",
    ],
)
def test_what_git_says_of_other_than_lines_is_told(acme: Path, tmp_path: Path, text: str) -> None:
    change = f"diff --git a/faq.csv b/faq.csv\n{text}{unified('faq.csv', TEXT, AFTER)}"
    with pytest.raises(InputError, match=r"a\.diff:2: is .* do that by hand"):
        read_diffs(saved(tmp_path, change))
