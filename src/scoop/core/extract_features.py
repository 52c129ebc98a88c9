"""The features by which the sentences of an extract are chosen, and how alike any two sentences are."""

import re
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoop.core import extract_sentences, signals, text
from scoop.core.briefs import SourceText
from scoop.core.extract_sentences import Candidate

Table = NDArray[np.float32]
Column = NDArray[Any]

_CJK = "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = re.compile("[\u3041-\u30ff]")
_DIGIT = re.compile(r"\d")
_COMMA = re.compile("[，,、;；:：]")
_QUOTATION_MARK = re.compile('["“”„«»「」]')
_DAY = re.compile("[0-9]日|近日|日前|昨|今[日天]")  # the day of an event, which leads name

FEATURES = (
    "length",
    "length_squared",
    "is_first",
    "earliness",
    "place",
    "is_first_of_paragraph",
    "title_covered",
    "of_title",
    "title_words",
    "title_signs",
    "title_likeness",
    "title_pairs",
    "below_best_title",
    "below_best_likeness",
    "below_best_pairs",
    "below_most_central",
    "relative_length",
    "centrality",
    "degree",
    "frequency",
    "lead_likeness",
    "support",
    "numbers",
    "digits",
    "names",
    "commas",
    "is_quotation",
    "quotation_marks",
    "reports_speech",
    "has_day",
    "is_question",
    "is_dangling",
    "is_first_person",
    "states_purpose",
    "first_with_title",
    "first_and_central",
    "first_of_untitled",
    "first_of_many",
    "first_and_dangling",
    "early_of_untitled",
    "central_of_untitled",
    "central_of_many",
    "sentences",
    "han",
    "kana",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """A row for each candidate and a column for each of FEATURES; `likeness` has the cosine of every two candidates."""

    table: Table
    likeness: Table


def features(documents: Sequence[SourceText], candidates: Sequence[Candidate]) -> Features:
    vectors, weights = _vectors(candidates)
    likeness = _likeness(vectors)
    titles = [signals.informative_terms(text.words(text.normalized(document.title))) for document in documents]
    columns = {
        **_places(candidates),
        **_titles(titles, candidates),
        "title_words": _title_words(documents, candidates),
        "title_signs": _title_signs(documents, candidates),
        **_title_likeness(documents, candidates),
        **_contents(candidates, vectors, weights, likeness),
    }
    columns |= {"support": _support(candidates, likeness, len(documents)), **_signs(candidates)}
    columns |= _scripts(candidates)
    columns |= _combined(columns, has_titles=any(titles), is_many=len(documents) > 1)
    table = np.stack([np.asarray(columns[name], dtype=np.float32) for name in FEATURES], axis=1)
    return Features(table=table, likeness=likeness)


def _vectors(candidates: Sequence[Candidate]) -> tuple[Table, Table]:
    """Unit vectors of the terms' weights, and the weight of each term times its sentences."""
    sentences_by_term = Counter(term for one in candidates for term in one.terms)
    terms = np.fromiter(sentences_by_term, dtype=np.uint32, count=len(sentences_by_term))
    column_by_term = {term: column for column, term in enumerate(sentences_by_term)}
    rows = np.repeat(np.arange(len(candidates)), [len(one.terms) for one in candidates])
    columns = np.array([column_by_term[term] for one in candidates for term in one.terms], dtype=np.int64)
    weights = signals.weight(terms)
    table = np.zeros((len(candidates), len(terms)), dtype=np.float32)
    table[rows, columns] = weights[columns]
    table /= np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-6)
    return table, weights * np.fromiter(sentences_by_term.values(), dtype=np.float32, count=len(terms))


def _likeness(vectors: Table) -> Table:
    """The cosine of every two sentences; only terms of several sentences count, and most have one."""
    is_set = vectors > 0
    shared = vectors[:, is_set.sum(axis=0) > 1]
    likeness: Table = shared @ shared.T
    np.fill_diagonal(likeness, is_set.any(axis=1))
    return likeness


def _places(candidates: Sequence[Candidate]) -> dict[str, Column]:
    places = np.array([one.place for one in candidates], dtype=np.float32)
    last_by_document = {one.document: one.place for one in candidates}
    last = np.array([last_by_document[one.document] for one in candidates], dtype=np.float32)
    words = np.log1p(np.array([one.words for one in candidates], dtype=np.float32))
    return {
        "length": words,
        "length_squared": words**2,
        "is_first": places == 0,
        "earliness": 1 / (1 + places),
        "place": places / np.maximum(last, 1),
        "is_first_of_paragraph": np.array([one.is_first_of_paragraph for one in candidates]),
        "sentences": np.log1p(last),
    }


def _titles(titles: Sequence[frozenset[int]], candidates: Sequence[Candidate]) -> dict[str, Column]:
    """How much of the titles a sentence says, and how much of the sentence that is; a term counts once a title."""
    titles_by_term = Counter(term for title in titles for term in title)
    weight_by_term = _weights(titles_by_term)
    said = {term: weight_by_term[term] * count for term, count in titles_by_term.items()}
    covered = np.array([sum(said.get(term, 0) for term in one.terms) for one in candidates])
    shared = np.array([len(one.terms & titles_by_term.keys()) for one in candidates])
    return {
        "title_covered": covered / max(sum(said.values()), 1e-6),
        "of_title": shared / np.maximum([len(one.terms) for one in candidates], 1),
    }


def _title_words(documents: Sequence[SourceText], candidates: Sequence[Candidate]) -> Column:
    """The share of the words of a title, however common, that a sentence has; the mean over the titles."""
    titles = [set(text.words(text.normalized(document.title))) for document in documents]
    shares = [[len(title & one.vocabulary) / max(len(title), 1) for title in titles] for one in candidates]
    result: Column = np.array(shares).mean(axis=1)
    return result


def _title_signs(documents: Sequence[SourceText], candidates: Sequence[Candidate]) -> Column:
    """The same of Chinese and Japanese signs: an abbreviation has the signs of a name but not their pairs."""
    titles = [set(text.han_and_kana(document.title)) for document in documents]
    if not any(titles):
        return np.zeros(len(candidates))
    shares = [[len(title.intersection(one.text)) / max(len(title), 1) for title in titles] for one in candidates]
    result: Column = np.array(shares).mean(axis=1)
    return result


def _title_likeness(documents: Sequence[SourceText], candidates: Sequence[Candidate]) -> dict[str, Column]:
    """The Dice coefficients of words, and of pairs of words, of a sentence and a title; the mean over the titles."""
    titles = [tokens for document in documents if (tokens := _tokens(document.title))]
    said = [_tokens(one.text) for one in candidates]
    return {
        "title_likeness": _dice([set(one) for one in said], [set(one) for one in titles]),
        "title_pairs": _dice([set(pairwise(one)) for one in said], [set(pairwise(one)) for one in titles]),
    }


def _tokens(written: str) -> list[str]:
    return _TOKEN.findall(text.normalized(written))


def _dice(said: Sequence[Set[Any]], titles: Sequence[Set[Any]]) -> Column:
    if not titles:
        return np.zeros(len(said))
    shared = np.array([[len(one & title) for title in titles] for one in said])
    sizes = np.add.outer([len(one) for one in said], [len(title) for title in titles])
    result: Column = (2 * shared / np.maximum(sizes, 1)).mean(axis=1)
    return result


def _weights(terms: Counter[int]) -> dict[int, float]:
    return dict(zip(terms, signals.weight(np.fromiter(terms, dtype=np.uint32, count=len(terms))).tolist(), strict=True))


def _contents(candidates: Sequence[Candidate], vectors: Table, weights: Table, likeness: Table) -> dict[str, Column]:
    centre = weights / max(float(np.linalg.norm(weights)), 1e-6)
    firsts = np.array([one.place == 0 for one in candidates])
    others = max(len(candidates) - 1, 1)
    return {
        "centrality": vectors @ centre,
        "degree": np.sqrt(np.maximum(likeness.sum(axis=1) - 1, 0) / others),
        "frequency": (vectors > 0)
        @ (weights / max(float(weights.max(initial=0)), 1e-6))
        / np.maximum((vectors > 0).sum(axis=1), 1),
        "lead_likeness": likeness[:, firsts].mean(axis=1) if firsts.any() else np.zeros(len(candidates)),
    }


def _support(candidates: Sequence[Candidate], likeness: Table, documents: int) -> Column:
    """The cosine with the nearest sentence of each other document, in the mean."""
    owners = np.array([one.document for one in candidates])
    starts = np.flatnonzero(np.concatenate(([True], owners[1:] != owners[:-1])))
    nearest = np.maximum.reduceat(likeness, starts, axis=1)
    nearest[owners[starts][None, :] == owners[:, None]] = 0
    support: Column = nearest.sum(axis=1) / max(documents - 1, 1)
    return support


def _signs(candidates: Sequence[Candidate]) -> dict[str, Column]:
    shown = [one.text for one in candidates]
    names = np.array([len(signals.NAME.findall(sentence)) for sentence in shown])
    return {
        "numbers": np.log1p([len(signals.NUMBER.findall(sentence)) for sentence in shown]),
        "digits": _share(_DIGIT, shown),
        "names": names / np.maximum([one.words for one in candidates], 1),
        "commas": np.log1p([len(_COMMA.findall(sentence)) for sentence in shown]),
        "is_quotation": np.array([any(sign in sentence for sign in '"“„«「') for sentence in shown]),
        "quotation_marks": np.array([len(_QUOTATION_MARK.findall(sentence)) for sentence in shown]),
        "reports_speech": np.array([extract_sentences.reports_speech(sentence) for sentence in shown]),
        "has_day": np.array([_DAY.search(sentence) is not None for sentence in shown]),
        "is_question": np.array([any(sign in sentence for sign in "?!？！") for sentence in shown]),
        "is_dangling": np.array([one.is_dangling for one in candidates]),
        "is_first_person": np.array([one.is_first_person for one in candidates]),
        "states_purpose": np.array([extract_sentences.states_purpose(sentence) for sentence in shown]),
    }


def _scripts(candidates: Sequence[Candidate]) -> dict[str, Column]:
    """The shares of Chinese signs and kana of all sentences: lengths and title words count otherwise in them."""
    together = "".join(one.text for one in candidates)
    return {
        name: np.full(len(candidates), _share(pattern, [together])[0])
        for name, pattern in (("han", _HAN), ("kana", _KANA))
    }


def _share(pattern: re.Pattern[str], texts: Sequence[str]) -> Column:
    """The share of the characters that match."""
    return np.array([len(pattern.findall(one)) / max(len(one), 1) for one in texts])


def _combined(columns: dict[str, Column], *, has_titles: bool, is_many: bool) -> dict[str, Column]:
    """Products of features: whether the first sentence is a lead shows in its other features."""
    first, early, central = columns["is_first"], columns["earliness"], columns["centrality"]
    return {
        "below_best_title": columns["title_covered"] - columns["title_covered"].max(),
        "below_best_likeness": columns["title_likeness"] - columns["title_likeness"].max(),
        "below_best_pairs": columns["title_pairs"] - columns["title_pairs"].max(),
        "below_most_central": central - central.max(),
        "relative_length": columns["length"] - columns["length"].mean(),
        "first_with_title": first * columns["title_covered"],
        "first_and_central": first * central,
        "first_of_untitled": first * (not has_titles),
        "first_of_many": first * is_many,
        "first_and_dangling": first * columns["is_dangling"],
        "early_of_untitled": early * (not has_titles),
        "central_of_untitled": central * (not has_titles),
        "central_of_many": central * is_many,
    }
