"""Whether a question stands there already: by its normal form or its content words."""

from collections import Counter, defaultdict

from simulator.core.clean import normal_form
from simulator.core.persona import Language
from simulator.text.clauses import read
from simulator.text.phrases import phrases

OVERLAP = 0.9  # Jaccard: of ten words one may be another
_FEWEST = 2  # words; one alone (退会) says too little to tell two questions apart
WordSet = frozenset[tuple[str, bool]]


class Questions:
    """The questions that there are, to be asked whether another one is new.

    `voice` is the persona in whose words a question is put: the same matter in another voice is
    another question, unless the words are the same.
    """

    def __init__(self, language: Language) -> None:
        self.language = language
        self._forms: dict[str, str] = {}
        self._questions: list[tuple[str, str, WordSet]] = []
        self._holding: defaultdict[tuple[str, bool], list[int]] = defaultdict(list)

    def same(self, question: str) -> str | None:
        """The question with the same normal form (case, width, marks, white space); else None."""
        return self._forms.get(normal_form(question))

    def like(self, question: str, voice: str = "") -> str | None:
        """The question that asks the same as this one; None for a new one.

        The same is: an equal normal form; or words of which nine in ten are the same (content
        words and amounts, by clauses that deny or that do not, and question words).
        """
        return self.same(question) or self._by_words(question, voice)

    def add(self, question: str, voice: str = "") -> None:
        """From now on this question is known."""
        self._forms.setdefault(normal_form(question), question)
        words = _words(question, self.language)
        for word in words:
            self._holding[word].append(len(self._questions))
        self._questions.append((question, voice, words))

    def _by_words(self, question: str, voice: str) -> str | None:
        words = _words(question, self.language)
        if len(words) < _FEWEST:
            return None
        shared = Counter(at for word in words for at in self._holding.get(word, ()))
        for at, count in sorted(shared.items()):
            other, its_voice, others = self._questions[at]
            if its_voice == voice and count >= OVERLAP * (len(words) + len(others) - count):
                return other
        return None


def _words(question: str, language: Language) -> WordSet:
    words = {
        (word, False in clause.signs.values())
        for sentence in read(question, language)
        for clause in sentence.clauses
        for word in (*clause.keys, *(f"{amount}{kind}" for (kind, amount), _ in clause.amounts))
    }
    question_words = phrases("generate/lists").pattern(f"asked_{language}")
    marked = {(f"?{word}", False) for word in question_words.findall(question.casefold())}
    return frozenset(words | marked)
