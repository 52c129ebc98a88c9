"""Judge claims: does a sentence follow from the passages that it cites? A doubt is a no."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from scoop.core.briefs import SourceText
from scoop.core.support import CitedClaim, Embed, Support, across, links, model, passages, views
from scoop.core.support.across import Embedded
from scoop.core.support.passages import Sources
from scoop.core.support.signs import Signs
from scoop.core.support.tokens import Tokens, tokenize

MAX_CHARACTERS = 4_000  # of a claim; a longer one is no sentence
ENOUGH = 0.5  # of a score
NO_PASSAGE = "no passage of the source says this"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A claim with the passages it rests on and its signs; `is_across` if the source has another language."""

    passages: tuple[int, ...]
    signs: Signs
    language: str
    is_across: bool


def judge(claims: Sequence[CitedClaim], sources: Sequence[SourceText], *, embed: Embed | None = None) -> list[Support]:
    """Whether each claim follows from the passages that it cites, or from any passage if it cites none.

    A claim in another language than all its sources needs `embed`; without it, it is not supported.
    """
    prepared = passages.prepare(sources)
    cases = _cases(claims, sources, prepared, embed)
    within = [case for case in cases if isinstance(case, _Case) and not case.is_across]
    beyond = [case for case in cases if isinstance(case, _Case) and case.is_across]
    fit = model.load()
    scores = iter(fit.scores([case.signs for case in within], [case.language for case in within]) if within else [])
    others = iter(fit.scores_across([case.signs for case in beyond]) if beyond else [])
    return [_support(case, prepared, scores, others) for case in cases]


def confirm(support: Support) -> Support:
    """The decision about a claim that a model found in its passage: the signs must leave it open beside it."""
    if not support.is_open:
        return support
    return replace(support, is_supported=True, score=ENOUGH, findings=(), is_open=False)


def _cases(
    claims: Sequence[CitedClaim], sources: Sequence[SourceText], prepared: Sources, embed: Embed | None
) -> list[_Case | str]:
    """A case for each claim, or the reason why it cannot be supported."""
    foreign = [at for at, claim in enumerate(claims) if _is_foreign(claim, prepared)]
    cases: dict[int, _Case | str] = {
        at: _within(claims[at], prepared) for at in range(len(claims)) if at not in set(foreign)
    }
    if foreign and embed is None:
        cases |= dict.fromkeys(foreign, "the claim has another language than the source, and there is no embedder")
    elif foreign and embed is not None:
        cases |= _foreign_cases([claims[at] for at in foreign], foreign, sources, prepared, embed)
    return [cases[at] for at in range(len(claims))]


def _is_foreign(claim: CitedClaim, prepared: Sources) -> bool:
    return bool(prepared.languages) and claim.language[:2].lower() not in prepared.languages


def _within(claim: CitedClaim, prepared: Sources) -> _Case | str:
    tokens = tokenize(claim.text[:MAX_CHARACTERS], claim.language)
    reason, cited = _refusal(claim, tokens, prepared)
    if reason:
        return reason
    terms = passages.terms(tokens, 0, len(tokens.texts))
    found = passages.search_cited(terms, prepared, cited) if claim.cited else passages.search(terms, prepared)
    if not found:
        return NO_PASSAGE
    found_signs = model.signs(views.view(claim, tokens, terms, prepared, found))
    return _Case(passages=tuple(found), signs=found_signs, language=claim.language, is_across=False)


def _refusal(claim: CitedClaim, tokens: Tokens, prepared: Sources) -> tuple[str, list[int]]:
    """Why a claim cannot be judged, if so, and the sentences that it cites."""
    if not tokens.texts:
        return "the sentence has no words", []
    if len(claim.text) > MAX_CHARACTERS:
        return f"the sentence has more than {MAX_CHARACTERS} characters", []
    cited = passages.cited_sentences(claim.cited, prepared)
    return ("the cited passage is not in the sources", []) if claim.cited and not cited else ("", cited)


def _foreign_cases(
    claims: Sequence[CitedClaim], places: Sequence[int], sources: Sequence[SourceText], prepared: Sources, embed: Embed
) -> dict[int, _Case | str]:
    """The cases of claims in another language, by their places; texts are embedded in one call each."""
    if not prepared.sentences:
        return dict.fromkeys(places, NO_PASSAGE)
    texts = {source.document_id: source.body_text for source in sources}
    written = [texts[one.document_id][one.start : one.end] for one in prepared.sentences[: across.MAX_SENTENCES]]
    embedded = across.embed_sources(prepared, written, embed)
    vectors = embed([claim.text[:MAX_CHARACTERS] for claim in claims])
    return {
        at: _across(claim, prepared, embedded, vector)
        for at, claim, vector in zip(places, claims, vectors, strict=True)
    }


def _across(claim: CitedClaim, prepared: Sources, embedded: Embedded, vector: across.Vectors) -> _Case | str:
    tokens = tokenize(claim.text[:MAX_CHARACTERS], claim.language)
    reason, cited = _refusal(claim, tokens, prepared)
    if reason:
        return reason
    unknown = links.findings(claim.text, prepared)
    if unknown:
        return unknown[0]
    found, cosines = across.nearest(vector, embedded, cited if claim.cited else None)
    if not found:
        return NO_PASSAGE
    found_signs = across.check(claim, tokens, prepared, found, cosines)
    return _Case(passages=tuple(found), signs=found_signs, language=claim.language, is_across=True)


def _support(case: _Case | str, prepared: Sources, scores: Iterator[float], others: Iterator[float]) -> Support:
    if isinstance(case, str):
        return Support(is_supported=False, score=0.0, findings=(case,), passages=())
    score = next(others if case.is_across else scores)
    is_supported = score >= ENOUGH
    return Support(
        is_supported=is_supported,
        score=score,
        findings=() if is_supported else case.signs.findings or (NO_PASSAGE,),
        passages=tuple(prepared.sentences[number].citation() for number in case.passages),
        is_open=model.VETOED < score < ENOUGH,
    )
