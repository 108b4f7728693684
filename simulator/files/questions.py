"""What real customers asked: a log with a question a line, or recorded talks."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.files.column_names import column_names, column_of
from simulator.files.dialogs import (
    Dialog,
    keys_of,
    read_dialogs,
    read_talks_or_rows,
    says_a_matter,
    text_in,
)
from simulator.formats.records import NOTHING, RawRow
from simulator.formats.row_files import paths_for
from simulator.formats.sources import Source, shown
from simulator.text.acts import asks, is_courtesy, stands_alone, without_opener
from simulator.text.personal import masked
from simulator.text.tokens import sentences

_MARK, _HEAD = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+"), re.compile(r"\s{0,3}#{1,6}(?:\s|$)")


def read_questions(
    source: Source,
    language: Language,
    users: Sequence[str] = (),
    mapping: Mapping[str, str] = NOTHING,
    note: Callable[[str], object] = str,
) -> list[str]:
    """The questions of a log (.csv, .jsonl, .json, .txt, .md), in order, as often as they came.

    A text has one a line; in a .md headings are none, and marks of lists are no part of one.
    With a column of questions, found by its name, it is what stands there.
    Else the log is read as recorded talks (`read_dialogs`): of each the customer's first turn that
    names a matter counts, and later ones that ask something and can be understood alone, with the
    sentences that ask, or where these do not tell what about, with all but courtesies.

    Args:
        source: the file.
        language: in which the customers write.
        users: the speakers who are customers, where their names do not say it.
        mapping: the JMESPath of each column, for JSON of a form that is not known; a table goes by
            its names.
        note: is told what was left out of a file of another tool.

    Raises:
        InputError: it is neither, or everything that is wrong in it.
    """
    if source.path.suffix.casefold() == ".txt":
        return _cleaned(source, source.table_text().splitlines())
    if source.path.suffix.casefold() == ".md":
        lines = source.table_text().splitlines()
        return _cleaned(source, (_MARK.sub("", line) for line in lines if not _HEAD.match(line)))
    log = read_talks_or_rows(source, paths_for(source, mapping))
    for sentence in log.notes:
        note(sentence)
    present = keys_of(log.rows)
    column = column_of("questions", "question", present)
    if column is not None and not users:
        questions = [_text_in(source, row, column) for row in log.rows]
    elif log.is_of_talks or users:
        dialogs = read_dialogs(source, users, mapping=mapping)
        questions = [text for talk in dialogs.talks for text in _asked(talk, language)]
    else:
        names = ", ".join(column_names("questions")["question"][:4])
        columns = ", ".join(map(shown, present[:12]))
        raise source.error(
            0,
            f"no column contains questions; call it {names}, or use conversations with the "
            f"columns conversation, speaker and text (columns: {columns})",
        )
    return _cleaned(source, questions)


def _text_in(source: Source, record: RawRow, column: str) -> str:
    text = text_in(value := record.cells.get(column))
    if text is None:
        raise source.error(
            record.line, f"{column}: {shown(value)} is not text; write text, in quotes"
        )
    return text


def _cleaned(source: Source, texts: Iterable[str]) -> list[str]:
    questions = [text for raw in texts if (text := clean(raw).strip())]
    if not questions:
        raise source.error(0, "it contains no questions; is it the right file?")
    return questions


def _asked(talk: Dialog, language: Language) -> Iterator[str]:
    """The first turn that names a matter, and what is asked later on and stands alone."""
    is_open = False
    for said in talk.customer_turns:
        turn = masked(said, language)[0]  # a question may repeat the name that came before it
        parts = [s for s in sentences(turn, language) if not is_courtesy(s, language)]
        asking = [without_opener(s, language) for s in parts if asks(s, language)]
        question = " ".join(asking)
        alone = stands_alone(question, language)
        if is_open and alone:
            yield question
        elif not is_open and says_a_matter(turn, language):
            is_open = True
            yield question if alone else " ".join(parts)  # 昨日届きました。返品できますか
