"""Makes the pictures of docs/*/review.md: worksheets of a demo run, as LibreOffice shows them.

Needs LibreOffice, poppler-utils and the Noto CJK fonts and, beside what develops mogi, Pillow:

    pip install pillow && python docs/pictures/make.py

Columns are narrower than in the file, and most rows are left out, so that a page can hold it.
"""

import contextlib
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openpyxl
from openpyxl.styles import Border, Font, PatternFill, Side
from PIL import Image, ImageChops
from rich.cells import cell_len

from simulator.cli.app import run as mogi
from simulator.worksheets.book import column_name
from simulator.worksheets.columns import COLUMNS, HASHED, PEOPLE, parted_key

HERE = Path(__file__).resolve().parent
_A3 = 8
_DOTS = 150  # an inch
_RED = "D02020"
_EDGE = Side("thick", _RED)
_COLOURS = 32
_CLIPPED = 4  # lines of what was said before, as in the file
# Letters of Review.
_AT: Mapping[str, str] = {column.id: column_name(at) for at, column in enumerate(COLUMNS)}

Turn = tuple[str, str, int]  # scenario, persona, turn
Change = Callable[[Any], None]


@dataclass(frozen=True)
class Part:
    """Some columns (letter: characters) and rows of a worksheet; `marks`: number before a row."""

    sheet: str
    widths: Mapping[str, float]
    rows: Sequence[int]
    marks: Sequence[str] = ()
    framed: str = ""  # letters of columns, or cells: what the picture is about


@dataclass(frozen=True)
class Said:
    """What a person writes in a row."""

    turn: Turn
    word: str
    reviewer: str
    comment: str = ""
    error_type: str = ""
    corrected: str = ""
    claims: str = ""


@dataclass(frozen=True)
class Words:
    """A language: which run, how it looks (`line`: points, `wide`: of its characters), verdicts."""

    client: str
    font: str
    line: float
    wide: float
    weak: Turn
    plain: Turn  # what is right
    said: Sequence[Said]


_NEW_PHONE = ("new-phone-photos-and-codes", "angry", 1)
JA = Words(
    client="demo",
    font="Noto Sans CJK JP",
    line=13.5,
    wide=1.0,
    weak=("change-email", "angry", 1),
    plain=("card-change", "angry", 1),
    said=(
        Said(
            ("change-email", "angry", 1),
            "NG",
            "佐藤",
            error_type="不要なお断り",
            corrected=(
                "「設定」→「アカウント」→「メールアドレス」で新しいアドレスを入力し、"
                "届いた確認コードを30分以内に入力してください。"
            ),
        ),
        Said(_NEW_PHONE, "NG", "佐藤", "写真のことに答えていない。", claims="1 NG\n2 NG\n3 OK"),
        Said(_NEW_PHONE, "OK", "鈴木", "二段階認証の手順は正しい。"),
        Said(("unknown-charge", "beginner", 2), "分からない", "佐藤", "窓口の番号を確認中。"),
    ),
)
EN = Words(
    client="demo-en",
    font="DejaVu Sans",
    line=12.5,
    wide=0.82,
    weak=("everything-gone", "angry", 1),
    plain=("share-link-stop", "angry", 1),
    said=(
        Said(
            ("everything-gone", "angry", 1),
            "NG",
            "Sato",
            error_type="Refused needlessly",
            corrected=(
                "Deleted photos stay in the trash for 60 days. Open Menu > Trash, choose the "
                'photos, and press "Restore".'
            ),
        ),
        Said(_NEW_PHONE, "NG", "Sato", "Nothing about the photos.", claims="1 NG\n2 NG\n3 OK"),
        Said(_NEW_PHONE, "OK", "Suzuki", "The steps for the codes are right."),
        Said(("child-photo-published", "angry", 2), "unsure", "Sato", "Which desk takes these?"),
    ),
)


class Book:
    """The workbook of a run, and pictures of it in a folder where files may be left."""

    def __init__(self, folder: Path, words: Words) -> None:
        self._folder = folder
        self._words = words
        self._path = folder / "review.xlsx"
        report = f"xlsx={self._path}"
        with contextlib.chdir(folder):
            mogi(["run", words.client, "--audit", "1", "--report", report, "--quiet"])
        rows = openpyxl.load_workbook(self._path)["Review"].iter_rows(min_row=2, values_only=True)
        keys = (parted_key(str(row[0])) for row in rows)
        names = ((key[1].split("/"), key[2]) for key in keys if key)
        self._rows = {(name[0], name[1], turn): at for at, (name, turn) in enumerate(names, 2)}

    def row(self, turn: Turn) -> int:
        """Where a turn stands in Review."""
        return self._rows[turn]

    def picture(self, part: Part, change: Change = lambda _: None) -> Image.Image:
        """The part, after a change to the workbook; cropped."""
        book = openpyxl.load_workbook(self._path)
        change(book)
        for other in book:
            other.sheet_state = "visible" if other.title == part.sheet else "hidden"
        sheet = book[part.sheet]
        book.active = sheet
        self._show(sheet, part)
        book.save(self._folder / "part.xlsx")
        office = ["soffice", "--headless", f"-env:UserInstallation={self._folder.as_uri()}/office"]
        self._run([*office, "--convert-to", "pdf", "part.xlsx"])
        self._run(["pdftoppm", "-r", str(_DOTS), "-png", "-singlefile", "part.pdf", "part"])
        image = Image.open(self._folder / "part.png").convert("RGB")
        blank = Image.new("RGB", image.size, "white")
        return image.crop(ImageChops.difference(image, blank).getbbox())

    def _show(self, sheet: Any, part: Part) -> None:
        """Nothing but the part is visible, and what it is about has a red frame."""
        for row in sheet.iter_rows():
            at = row[0].row
            sheet.row_dimensions[at].height = self._height(row, part.widths)
            sheet.row_dimensions[at].hidden = at > 1 and at not in part.rows
            for cell in row:
                cell.font = Font(self._words.font, 10, bold=cell.font.bold)
                cell.comment = None
        letters = [cell.column_letter for cell in sheet[1]]
        for dimension in list(sheet.column_dimensions):
            del sheet.column_dimensions[dimension]
        for letter in letters:
            sheet.column_dimensions[letter].width = part.widths.get(letter, 1)
            sheet.column_dimensions[letter].hidden = letter not in part.widths
        if part.marks:
            _mark(sheet, dict(zip((1, *part.rows), ("", *part.marks), strict=True)))
        for letter in part.framed:
            _frame(sheet, letter, [1, *part.rows], first=part.framed[0], last=part.framed[-1])
        sheet.auto_filter.ref = None
        sheet.print_title_rows = None
        sheet.page_setup.paperSize, sheet.page_setup.orientation = _A3, "landscape"
        sheet.page_setup.scale = 100
        sheet.sheet_properties.pageSetUpPr = None

    def _height(self, row: Sequence[Any], widths: Mapping[str, float]) -> float:
        """Points of a row whose texts are wrapped."""
        lines = [1]
        for cell in row:
            width = int(widths.get(cell.column_letter, 0))
            if width and isinstance(cell.value, str) and cell.data_type != "f":
                long = (cell_len(text) * self._words.wide for text in cell.value.split("\n"))
                found = sum(1 + int(each // width) for each in long)
                is_clipped = cell.column_letter in (_AT["before"], _AT["documents"])
                lines.append(min(_CLIPPED, found) if is_clipped else found)
        return self._words.line * (max(lines) + 0.5)

    def _run(self, command: Sequence[str]) -> None:
        subprocess.run(command, cwd=self._folder, check=True, capture_output=True)  # noqa: S603


def _mark(sheet: Any, marks: Mapping[int, str]) -> None:
    """The first column holds red numbers in place of keys."""
    sheet.column_dimensions["A"].width, sheet.column_dimensions["A"].hidden = 4, False
    for row, mark in marks.items():
        cell = sheet.cell(row, 1)
        cell.value, cell.font = mark, Font("Noto Sans CJK JP", 14, bold=True, color=_RED)
        cell.fill, cell.border = PatternFill(), Border(right=cell.border.right)


def _frame(sheet: Any, letter: str, rows: Sequence[int], *, first: str, last: str) -> None:
    for row in rows:
        cell = sheet[f"{letter}{row}"]
        cell.border = Border(
            left=_EDGE if letter == first else cell.border.left,
            right=_EDGE if letter == last else cell.border.right,
            top=_EDGE if row == rows[0] else cell.border.top,
            bottom=_EDGE if row == rows[-1] else cell.border.bottom,
        )


def _widths(**columns: float) -> dict[str, float]:
    """Of columns of Review, by their letters."""
    return {_AT[name]: width for name, width in columns.items()}


def _as_it_comes(book: Book, words: Words) -> Image.Image:
    rows = sorted(map(book.row, (words.weak, words.plain)))
    widths = _widths(
        user=18,
        before=12,
        assistant=32,
        expected=30,
        documents=26,
        verdict=8,
        claims=14,
        reviewer=8,
    )
    framed = _AT["verdict"] + _AT["claims"] + _AT["reviewer"]
    return book.picture(Part("Review", widths, rows, "①②", framed=framed))


def _filled_in(book: Book, words: Words) -> Image.Image:
    """Verdicts, with two people's on one answer: the second has a copy of its row."""
    places = [book.row(said.turn) for said in words.said]
    first, copy = 1, 2
    places[copy] += 1

    def write(opened: Any) -> None:
        sheet = opened["Review"]
        for column in HASHED[1:]:
            letter = _AT[column]
            sheet[f"{letter}{places[copy]}"] = sheet[f"{letter}{places[first]}"].value
        for at, said in zip(places, words.said, strict=True):
            texts = {"verdict": said.word, **vars(said)}
            for column in PEOPLE:
                sheet[f"{_AT[column]}{at}"] = texts[column] or None

    widths = _widths(
        user=14,
        assistant=32,
        expected=26,
        verdict=8,
        claims=9,
        error_type=12,
        corrected=20,
        comment=16,
        reviewer=8,
    )
    return book.picture(Part("Review", widths, sorted(places), "①②③④"), write)


def main() -> None:
    """Write all of them here, in both languages."""
    kinds = {"review": _as_it_comes, "verdicts": _filled_in}
    for language, words in (("ja", JA), ("en", EN)):
        with tempfile.TemporaryDirectory() as folder:
            book = Book(Path(folder), words)
            for name, make in kinds.items():
                image = make(book, words).quantize(_COLOURS, kmeans=1, dither=Image.Dither.NONE)
                image.save(HERE / f"{name}-{language}.png", optimize=True)


if __name__ == "__main__":
    main()
