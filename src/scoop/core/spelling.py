"""Words that were typed wrongly, and those that may have been meant."""

from collections.abc import Collection

import xxhash

MIN_LETTERS = 4  # shorter words have too many neighbours
MAX_LETTERS = 24
TWO_EDITS_FROM = 8  # letters from which on two slips are forgiven
MAX_SUGGESTIONS = 3  # words that stand in for one

_SIGN = 1 << 31


def can_be_mistyped(word: str) -> bool:
    """Whether it is a word of letters that are typed one by one."""
    return MIN_LETTERS <= len(word) <= MAX_LETTERS and word.isalpha() and max(word) < "\u1100"


def deletion_keys(word: str) -> list[int]:
    """Numbers of the word and of all that is left when one letter is dropped: one slip apart, two words share one."""
    forms = {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}
    return sorted((xxhash.xxh32_intdigest(form.encode()) ^ _SIGN) - _SIGN for form in forms)


def closest_words(word: str, candidates: Collection[str]) -> list[str]:
    """The candidates that are few slips away, the nearest first."""
    most = 2 if len(word) >= TWO_EDITS_FROM else 1
    near = sorted(
        (edit_distance(word, each), each[:1] != word[:1], abs(len(each) - len(word)), each)
        for each in candidates
        if each != word
    )
    return [each for count, *_, each in near if count <= most][:MAX_SUGGESTIONS]


def edit_distance(one: str, other: str) -> int:
    """How many letters were dropped, added, changed, or swapped with their neighbour."""
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
