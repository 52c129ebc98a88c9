"""What a text says about a target: the sentences and the clause around a mention."""

import re

from scoop.core import sentences, text

MAX_PASSAGE = 600  # characters; the texts that the model was fitted on are shorter but for one in a hundred
MIN_CLAUSE = 24  # characters; a shorter clause says too little on its own
UNSPACED_SHARE = 0.4  # of MIN_CLAUSE, in scripts whose signs say more

_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s+|\n+|\s+(?=>)")  # ">" begins a quotation
_CLAUSE_END = re.compile(r"[;:!?()\n…—–。｡！？；：，、（）【】「」]|,(?=\s)|\.(?=\s)|\s-\s")


def passage_of(content: str, start: int, end: int, language: str) -> tuple[int, int]:
    """The range of the sentences about a mention: the whole text if it is short, else its sentence and neighbours."""
    if len(content) <= MAX_PASSAGE:
        return 0, len(content)
    ranges = sentences.split(content, language) or [(0, len(content))]
    at = next((number for number, (_, last) in enumerate(ranges) if last >= end), len(ranges) - 1)
    first, last = min(ranges[at][0], start), max(ranges[at][1], end)
    if at > 0 and last - ranges[at - 1][0] <= MAX_PASSAGE:
        first = ranges[at - 1][0]
    if at + 1 < len(ranges) and ranges[at + 1][1] - first <= MAX_PASSAGE:
        last = ranges[at + 1][1]
    return max(first, end - MAX_PASSAGE), min(last, start + MAX_PASSAGE)


def rough_sentences(content: str) -> list[str]:
    """The sentences by their marks alone, which is fast: at least one, if only the text itself."""
    return [one.strip() for one in _SENTENCE_END.split(content) if len(one.strip()) > 1] or [content]


def clause_of(content: str, start: int, end: int) -> tuple[int, int]:
    """The range of the clause around a mention, widened to a length that says something."""
    bounds = [
        0,
        *(mark.end() for mark in _CLAUSE_END.finditer(content) if not start <= mark.start() < end),
        len(content),
    ]
    first = max(bound for bound in bounds if bound <= start)
    last = min(bound for bound in bounds if bound >= end)
    least = MIN_CLAUSE + end - start
    if any(map(text.is_unspaced, content[start:end])):
        least = int(least * UNSPACED_SHARE)
    while last - first < least and (first > 0 or last < len(content)):
        if last < len(content):
            last = min(bound for bound in bounds if bound > last)
        else:
            first = max(bound for bound in bounds if bound < first)
    return first, last
