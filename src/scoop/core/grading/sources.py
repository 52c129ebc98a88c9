"""Sources: the sentences of documents that a lesson may be made of, with their grammar."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scoop.core import extract_features, extract_sentences, extracts
from scoop.core.briefs import SourceText
from scoop.core.extract_sentences import Candidate
from scoop.core.grading.soundness import word_count
from scoop.core.grading.trees import Parse, Tree
from scoop.model import Citation

MAX_SENTENCES = 34  # that are parsed: parsing is most of the work, and a lesson has the room of fifteen
LEAD = 2  # sentences that say what happened

_QUOTED = re.compile(r'"[^"]*"|“[^”]*”')
_FIRST_PERSON = re.compile(r"\b(?:I|we|We|my|My|our|Our|me|us|you|You|your|Your)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedSentence:
    """A sentence with its trees; of one that is not `is_narrative` only the names are used."""

    candidate: Candidate
    importance: float
    trees: tuple[Tree, ...]
    document: SourceText
    is_narrative: bool

    @property
    def citation(self) -> Citation:
        return Citation(document_id=self.document.document_id, start=self.candidate.start, end=self.candidate.end)

    @property
    def is_lead(self) -> bool:
        return self.candidate.place < LEAD


def sources(documents: Sequence[SourceText], parse: Parse) -> list[ParsedSentence]:
    """The sentences of the lead and the most important others, in order."""
    every = extract_sentences.candidates(documents)
    narrative = [_is_narrative(one, documents[one.document].body_text) for one in every]
    if not any(narrative):
        return []
    scores = extracts.scores(extract_features.features(documents, every).table)
    usable = [at for at, one in enumerate(every) if narrative[at] or one.place < LEAD]
    ranked = sorted(usable, key=lambda at: (every[at].place >= LEAD, -scores[at]))
    used = sorted(ranked[:MAX_SENTENCES])
    parsed = parse([every[at].text for at in used])
    top, low = max(scores), min(scores)
    return [
        ParsedSentence(
            candidate=every[at],
            importance=float((scores[at] - low) / ((top - low) or 1)),
            trees=tuple(Tree(tokens=tuple(tokens)) for tokens in sentences if tokens),
            document=documents[every[at].document],
            is_narrative=narrative[at],
        )
        for at, sentences in zip(used, parsed, strict=True)
    ]


def usable_words(body: str) -> int:
    """How many words of an English article are in sentences that a lesson may use."""
    document = SourceText(document_id=0, title="", body_text=body, language="en", publisher="")
    usable = [one for one in extract_sentences.candidates([document]) if _is_narrative(one, body)]
    return sum(word_count(one.text) for one in usable)


def _is_narrative(candidate: Candidate, body: str) -> bool:
    """Whether a sentence speaks for the author: no question, no part of a longer quotation, no I or we."""
    paragraph = body[body.rfind("\n", 0, candidate.start) + 1 : candidate.start]
    is_quoted = paragraph.count('"') % 2 == 1 or paragraph.count("“") > paragraph.count("”")
    outside = _QUOTED.sub("", candidate.text)
    has_author = any(map(str.isalpha, outside))
    return not is_quoted and has_author and "?" not in candidate.text and not _FIRST_PERSON.search(outside)
