"""The features from which the level of a sentence and of a text is computed."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from scoop.core.levels import grammar, reading, vocabulary
from scoop.core.levels.reading import ReadSentence, WordToken
from scoop.core.levels.rules import LEVELS

LONG = 6  # letters; a longer word is long
MANY_SYLLABLES = 3
FREQUENT = 6.0  # Zipf frequency: more frequent words are those of every text
SHORT = 3  # letters: a shorter word is no content word
COMMONEST = 6.0  # the frequency that is assumed where a sentence has no words
HARD_RANK = 4.3  # of words that are C1, C2 or in no list, where A1 is 0 and B2 is 3

SENTENCE_FEATURES = (
    "words", "log_words", "root_words", "syllables", "most_syllables", "letters", "most_letters", "long_share",
    "polysyllable_share", "polysyllables", "long_words", "a1_share", "a2_share", "b1_share", "b2_share", "c1_share",
    "c2_share", "a1", "a2", "b1", "b2", "c1", "c2", "unlisted_share", "rank", "highest_rank", "top_ranks",
    "frequency", "least_frequency", "content_frequency", "rarest", "rarest_2", "rarest_3", "rarest_5",
    "frequency_spread", "name_share", "number_share", "names", "past", "future", "modal", "perfect", "passive",
    "clauses", "commas", "colons", "brackets", "quotes", "hyphens", "question", "of", "and", "to", "the",
    "prepositions", "which", "that", "ing_words", "adverbs", "abstract_nouns",
)  # fmt: skip

COUNT_FEATURES = (
    "mean_length", "log_length", "longest", "log_longest", "length_spread", "median_length", "letters", "syllables",
    "long_share", "a1_share", "a2_share", "b1_share", "b2_share", "hard_share", "rank", "name_share", "comma_share",
    "commas", "question_share", "clause_share", "clauses",
)  # fmt: skip
"""Features that counts are enough for: models can be fitted to texts that may not be passed on."""

_COLONS = re.compile("[;:]")
_QUOTATION_MARK = re.compile('["“”]')


def of_sentence(sentence: ReadSentence, text: str) -> list[float]:
    """A value for each of SENTENCE_FEATURES."""
    tokens, written = sentence.tokens, text[sentence.start : sentence.end]
    words = [token for token in tokens if not token.is_name and not token.is_number]
    return [
        *_lengths(tokens),
        *_ranks(words),
        *_frequencies([token.word.zipf for token in words], words),
        *_names(tokens),
        *_forms(sentence),
        *_marks(written),
        *_single_words(tokens),
    ]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _spread(values: Sequence[float]) -> float:
    """The standard deviation; that of `statistics` is exact and takes twenty times as long."""
    mean = _mean(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))


def _lengths(tokens: Sequence[WordToken]) -> list[float]:
    count = len(tokens)
    spoken = [reading.syllables(token.word.form) for token in tokens]
    letters = [len(token.text) for token in tokens]
    long_words = sum(one > LONG for one in letters)
    polysyllables = sum(one >= MANY_SYLLABLES for one in spoken)
    return [
        count,
        math.log(count),
        math.sqrt(count),
        sum(spoken) / count,
        max(spoken),
        sum(letters) / count,
        max(letters),
        long_words / count,
        polysyllables / count,
        polysyllables,
        long_words,
    ]


def _ranks(words: Sequence[WordToken]) -> list[float]:
    """The words of each level."""
    count = max(1, len(words))
    ranks = sorted((vocabulary.rank(vocabulary.estimated_level(token.text)) for token in words), reverse=True)
    by_rank = Counter(ranks)
    counts = [by_rank[rank] for rank in range(len(LEVELS))]
    unlisted = sum(vocabulary.word_level(token.text) is None for token in words)
    return [
        *(one / count for one in counts),
        *counts,
        unlisted / count,
        sum(ranks) / count,
        max(ranks, default=0),
        sum(ranks[:3]) / 3,
    ]


def _frequencies(all_zipf: Sequence[float], words: Sequence[WordToken]) -> list[float]:
    """How frequent the words are, and the rarest content words."""
    values = all_zipf or [COMMONEST]
    content = sorted(token.word.zipf for token in words if len(token.text) > SHORT and token.word.zipf < FREQUENT)
    content = content or [COMMONEST]
    return [
        _mean(values),
        min(values),
        _mean(content),
        *(_mean(content[:rarest]) for rarest in (1, 2, 3, 5)),
        _spread(content),
    ]


def _names(tokens: Sequence[WordToken]) -> list[float]:
    names, numbers = sum(token.is_name for token in tokens), sum(token.is_number for token in tokens)
    return [names / len(tokens), numbers / len(tokens), names]


def _forms(sentence: ReadSentence) -> list[float]:
    by_form = Counter(found.form for found in grammar.forms(sentence))
    return [
        *(by_form[form] for form in ("past", "future", "modal", "perfect", "passive")),
        len(grammar.clause_words(sentence)),
    ]


def _marks(written: str) -> list[float]:
    return [
        written.count(","),
        len(_COLONS.findall(written)),
        written.count("("),
        len(_QUOTATION_MARK.findall(written)),
        written.count("-"),
        written.count("?"),
    ]


def _single_words(tokens: Sequence[WordToken]) -> list[float]:
    forms = [token.word.form for token in tokens]
    counts = Counter(forms)
    return [
        *(counts[form] for form in ("of", "and", "to", "the")),
        sum(counts[form] for form in ("by", "with", "from", "in")),
        counts["which"],
        counts["that"],
        sum(form.endswith("ing") for form in forms),
        sum(form.endswith("ly") for form in forms),
        sum(form.endswith(("tion", "ment", "ity", "ness", "ism")) for form in forms),
    ]


def of_counts(
    lengths: Sequence[int],
    *,
    letters: int,
    syllables: int,
    long_words: int,
    by_level: Sequence[int],
    unlisted: int,
    names: int,
    commas: int,
    questions: int,
    clauses: int,
) -> list[float]:
    """A value for each of COUNT_FEATURES; `lengths` are the words of each sentence, `by_level` those of A1 to C2."""
    words, sentences = sum(lengths), len(lengths)
    listed = max(1, sum(by_level) + unlisted)
    hard = by_level[4] + by_level[5] + unlisted
    ranks = by_level[1] + 2 * by_level[2] + 3 * by_level[3] + HARD_RANK * hard
    return [
        words / sentences,
        math.log(words / sentences),
        max(lengths),
        math.log(max(lengths)),
        _spread(lengths),
        median(lengths),
        letters / words,
        syllables / words,
        long_words / words,
        *(count / listed for count in by_level[:4]),
        hard / listed,
        ranks / listed,
        names / words,
        commas / words,
        commas / sentences,
        min(1.0, questions / sentences),
        clauses / words,
        clauses / sentences,
    ]


def of_text(sentences: Sequence[ReadSentence], text: str) -> list[float]:
    """A value for each of COUNT_FEATURES."""
    tokens = [token for sentence in sentences for token in sentence.tokens]
    words = [token for token in tokens if not token.is_name and not token.is_number]
    levels = Counter(vocabulary.word_level(token.text) for token in words)
    return of_counts(
        [len(sentence.tokens) for sentence in sentences],
        letters=sum(len(token.text) for token in tokens),
        syllables=sum(reading.syllables(token.word.form) for token in tokens),
        long_words=sum(len(token.text) > LONG for token in tokens),
        by_level=[levels[level] for level in LEVELS],
        unlisted=levels[None],
        names=sum(token.is_name for token in tokens),
        commas=text.count(","),
        questions=text.count("?"),
        clauses=sum(len(grammar.clause_words(sentence)) for sentence in sentences),
    )


def of_words(sentences: Sequence[ReadSentence], words: Sequence[str]) -> list[float]:
    """The roots of the shares of single words."""
    counts = Counter(token.word.form for sentence in sentences for token in sentence.tokens)
    total = max(1, counts.total())
    return [math.sqrt(counts[word] / total) for word in words]
