"""Corrections of mistyped words."""

from collections.abc import Collection

import xxhash

MIN_LETTERS = 4  # shorter words have too many neighbours
MAX_LETTERS = 24
TWO_EDITS_FROM = 8  # letters: longer words may have two edits
MAX_SUGGESTIONS = 3  # for one word

_SIGN = 1 << 31


def can_be_mistyped(word: str) -> bool:
    """Whether it is a word of an alphabet, long enough to have few neighbours."""
    return MIN_LETTERS <= len(word) <= MAX_LETTERS and word.isalpha() and max(word) < "\u1100"


def deletion_keys(word: str) -> list[int]:
    """Hashes of the word and of its one-letter deletions: two words one edit apart share one."""
    forms = {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}
    return sorted((xxhash.xxh32_intdigest(form.encode()) ^ _SIGN) - _SIGN for form in forms)


def closest_words(word: str, candidates: Collection[str]) -> list[str]:
    """The candidates within one or two edits, the nearest first."""
    most = 2 if len(word) >= TWO_EDITS_FROM else 1
    near = sorted(
        (edit_distance(word, other), other[:1] != word[:1], abs(len(other) - len(word)), other)
        for other in candidates
        if other != word
    )
    return [other for edits, *_, other in near if edits <= most][:MAX_SUGGESTIONS]


def edit_distance(one: str, other: str) -> int:
    """The number of dropped, added, changed or swapped letters (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        earlier, before, row = before, row, [at]
        for place, theirs in enumerate(other, start=1):
            cost = min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != theirs))
            if at > 1 and place > 1 and letter == other[place - 2] and one[at - 2] == theirs:
                cost = min(cost, earlier[place - 2] + 1)
            row.append(cost)
    return row[-1]
