"""Judge claims: does a sentence follow from the passages that it cites? A doubt is a no."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from scoop.core.briefs import SourceText
from scoop.core.support import CitedClaim, Embed, Support, across, links, model, passages, quotes, views
from scoop.core.support.across import Embedded
from scoop.core.support.passages import Sources
from scoop.core.support.signs import Signs
from scoop.core.support.tokens import Tokens, tokenize
from scoop.model import FindingKind

MAX_CHARACTERS = 4_000  # of a claim; a longer one is no sentence
ENOUGH = 0.5  # of a score


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A claim with the passages it rests on, and its signs."""

    passages: tuple[int, ...]
    signs: Signs
    language: str


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Why a claim cannot be supported."""

    reason: str
    kind: FindingKind = "passage"


NO_PASSAGE = _Refusal("no passage of the source says this")
NO_EMBEDDER = _Refusal("the claim has another language than the source, and there is no embedder", "language")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A claim as tokens, with the sentences that it may rest on: those that it cites, or all if it cites none."""

    claim: CitedClaim
    tokens: Tokens
    own: tuple[int, ...]
    foreign: tuple[int, ...]
    refusal: _Refusal | None


def judge(claims: Sequence[CitedClaim], sources: Sequence[SourceText], *, embed: Embed | None = None) -> list[Support]:
    """Whether each claim follows from the passages that it cites, or from any passage if it cites none.

    Passages in another language than the claim need `embed`; without it, they support nothing.
    """
    prepared = passages.prepare(sources)
    readings = [_read(claim, prepared) for claim in claims]
    cases = [_within(reading, prepared) for reading in readings]
    judged = _supports(cases, prepared, _scores_within)
    undecided = [at for at, case in enumerate(cases) if readings[at].foreign and not _is_decided(case, judged[at])]
    beyond = _across_all([readings[at] for at in undecided], sources, prepared, embed)
    for at, other in zip(undecided, _supports(beyond, prepared, _scores_across), strict=True):
        judged[at] = max(other, judged[at], key=lambda support: support.score) if readings[at].own else other
    return judged


def confirm(support: Support) -> Support:
    """The decision about a claim that a model found in its passage: the signs must leave it open beside it."""
    if not support.is_open:
        return support
    return replace(support, is_supported=True, score=ENOUGH, findings=(), is_open=False)


def _read(claim: CitedClaim, prepared: Sources) -> _Reading:
    tokens = tokenize(claim.text[:MAX_CHARACTERS], claim.language)
    refusal, cited = _refusal(claim, tokens, prepared)
    allowed = cited if claim.cited else range(len(prepared.sentences))
    own = tuple(at for at in allowed if _language(prepared.sentences[at].language) == _language(claim.language))
    foreign = tuple(at for at in allowed if _language(prepared.sentences[at].language) != _language(claim.language))
    return _Reading(claim=claim, tokens=tokens, own=own, foreign=() if refusal else foreign, refusal=refusal)


def _language(code: str) -> str:
    return code[:2].lower()


def _refusal(claim: CitedClaim, tokens: Tokens, prepared: Sources) -> tuple[_Refusal | None, list[int]]:
    """Why a claim cannot be judged, if so, and the sentences that it cites."""
    if not tokens.texts:
        return _Refusal("the sentence has no words"), []
    if len(claim.text) > MAX_CHARACTERS:
        return _Refusal(f"the sentence has more than {MAX_CHARACTERS} characters", "length"), []
    cited = passages.cited_sentences(claim.cited, prepared)
    if claim.cited and not cited:
        return _Refusal("the cited passage is not in the sources"), []
    return None, cited


def _within(reading: _Reading, prepared: Sources) -> _Case | _Refusal:
    """The case of a claim beside the passages in its language, or the reason why it cannot be supported."""
    claim, tokens = reading.claim, reading.tokens
    if reading.refusal or not reading.own:
        return reading.refusal or NO_PASSAGE
    terms = passages.terms(tokens, 0, len(tokens.texts))
    cited = sorted((*reading.own, *reading.foreign))
    found = passages.search_cited(terms, prepared, cited) if claim.cited else passages.search(terms, prepared)
    if not found:
        return NO_PASSAGE
    signs = model.signs(views.view(claim, tokens, terms, prepared, found))
    return _Case(passages=tuple(found), signs=signs, language=claim.language)


def _is_decided(case: _Case | _Refusal, support: Support) -> bool:
    """Whether passages in another language cannot change the decision.

    They know less about a claim that copies a passage of its own language: a replaced name, for instance.
    """
    return support.is_supported or (isinstance(case, _Case) and model.is_decisive(case.signs))


def _across_all(
    readings: Sequence[_Reading], sources: Sequence[SourceText], prepared: Sources, embed: Embed | None
) -> list[_Case | _Refusal]:
    """The cases of claims beside passages in another language; texts are embedded in one call each."""
    if not readings:
        return []
    if embed is None:
        return [NO_EMBEDDER] * len(readings)
    texts = {source.document_id: source.body_text for source in sources}
    numbers = _embedded_numbers(readings)
    written = [prepared.sentences[number].citation() for number in numbers]
    embedded = across.embed_sentences(numbers, [texts[one.document_id][one.start : one.end] for one in written], embed)
    vectors = embed([reading.claim.text for reading in readings])
    return [_across(reading, prepared, embedded, vector) for reading, vector in zip(readings, vectors, strict=True)]


def _embedded_numbers(readings: Sequence[_Reading]) -> list[int]:
    """The sentences to embed: the cited ones first, then the first ones that a claim may rest on."""
    cited = dict.fromkeys(at for reading in readings if reading.claim.cited for at in reading.foreign)
    others = dict.fromkeys(sorted({at for reading in readings if not reading.claim.cited for at in reading.foreign}))
    return sorted([*(cited | others)][: across.MAX_SENTENCES])


def _across(reading: _Reading, prepared: Sources, embedded: Embedded, vector: across.Vectors) -> _Case | _Refusal:
    claim = reading.claim
    if absent_links := links.findings(claim.text, prepared):
        return _Refusal(absent_links[0], "link")
    if absent_quotes := _absent_quotes(claim, prepared):
        return _Refusal(absent_quotes[0], "quotation")
    found, cosines = across.nearest(vector, embedded, reading.foreign)
    if not found:
        return NO_PASSAGE
    signs = across.check(claim, reading.tokens, prepared, found, cosines)
    return _Case(passages=tuple(found), signs=signs, language=claim.language)


def _absent_quotes(claim: CitedClaim, prepared: Sources) -> tuple[str, ...]:
    """Long quotations that no source has, if a source has the claim's language; else all quotations are translated."""
    return quotes.findings(claim, prepared) if _language(claim.language) in prepared.languages else ()


def _supports(
    cases: Sequence[_Case | _Refusal], prepared: Sources, score: Callable[[Sequence[_Case]], list[float]]
) -> list[Support]:
    """The decisions about cases; refusals are not supported."""
    scored = [case for case in cases if isinstance(case, _Case)]
    scores = iter(score(scored) if scored else ())
    return [_support(case, prepared, next(scores)) if isinstance(case, _Case) else _refused(case) for case in cases]


def _scores_within(cases: Sequence[_Case]) -> list[float]:
    return model.load().scores([case.signs for case in cases], [case.language for case in cases])


def _scores_across(cases: Sequence[_Case]) -> list[float]:
    return model.load().scores_across([case.signs for case in cases])


def _refused(refusal: _Refusal) -> Support:
    return Support(is_supported=False, score=0.0, findings=(refusal.reason,), passages=(), kind=refusal.kind)


def _support(case: _Case, prepared: Sources, score: float) -> Support:
    is_supported = score >= ENOUGH
    return Support(
        is_supported=is_supported,
        score=score,
        findings=() if is_supported else case.signs.findings or (NO_PASSAGE.reason,),
        passages=tuple(prepared.sentences[number].citation() for number in case.passages),
        kind=case.signs.kind,
        is_open=model.VETOED < score < ENOUGH,
    )
