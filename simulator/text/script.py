"""In which script a text is written: whether it can be of a language at all."""

import re
import unicodedata

from simulator.core.clean import clean
from simulator.core.persona import Language

_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_JAPANESE = re.compile("[\u3041-\u3096\u30a1-\u30fe\u3400-\u4dbf\u4e00-\u9fff々〆ヶ]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_LEAST = {"ja": 0.2, "en": 0.8}  # share of the letters
# Signs that Chinese writes all the time and Japanese never does.
_CHINESE = re.compile("[们吗么这哪您码请怎还为给让说账帐户费设邮页图员]")
_HIRAGANA = re.compile("[\u3041-\u3096]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_SENTENCE = 4  # Latin words; without hiragana between them they make an English sentence
_LONGEST_WITHOUT_KANA = 16  # 領収書再発行手続方法: headings have no kana, sentences do


def is_written_in(text: str, language: Language) -> bool:
    """Whether the letters of a text may be those of a sentence in this language.

    Japanese: a fifth of the letters is kana or kanji (Google Classroomと連携できますか), and what
    is longer than a heading holds kana, so that Chinese is told apart. English: four fifths are
    Latin. A text without any letter is written in every language.
    """
    letters = [c for c in unicodedata.normalize("NFKC", clean(text)) if c.isalpha() or c == "々"]
    if not letters:
        return True
    joined = "".join(letters)
    own = len((_JAPANESE if language == "ja" else _LATIN).findall(joined))
    if own < _LEAST[language] * len(letters):
        return False
    if language == "en" or _HIRAGANA.search(joined):
        return True
    if len(_LATIN_WORD.findall(text)) >= _SENTENCE:
        return False
    heading = own <= _LONGEST_WITHOUT_KANA and not _CHINESE.search(joined)
    return bool(_KANA.search(joined)) or heading
