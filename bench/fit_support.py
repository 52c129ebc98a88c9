"""Fit the model that decides whether a sentence follows from its source.

python bench/fit_support.py FILE... --parallel FILE --held-out FILE [--write]    cross-validated figures, and the model

FILEs are gzipped NDJSON of labelled claims, as `scoop evaluate --task claims` takes them: folds never share an article.
--parallel has the same sentences in several languages (rows with `lang`, `text`, `topics`): documents and claims in two
languages are made of them, true ones and ones with a planted error. The model that is written saw no article of
--held-out, which is tests/quality/claims/planted.jsonl.gz. Also needs scikit-learn.
"""

import argparse
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from fit_links import arrays
from link_worlds import chance, read
from scoop.core.support import across, model, passages, views
from scoop.core.support.model import score_of
from scoop.core.support.tokens import tokenize
from scoop.embedders.local import encode
from scoop.evaluation import claims
from scoop.evaluation.claims import ClaimRow

FOLDS = 5
SETTINGS = {
    "max_iter": 300, "learning_rate": 0.06, "max_features": 0.3, "max_leaf_nodes": 16, "max_depth": 7,
    "min_samples_leaf": 20,
    "l2_regularization": 5, "random_state": 0,
}  # fmt: skip
ACROSS_SETTINGS = SETTINGS | {"max_iter": 80, "max_leaf_nodes": 8, "max_depth": 5, "min_samples_leaf": 60}
# More of these never makes a claim more credible, whatever the training sets say.
FALLING = (
    "numbers_missing", "spelled_missing", "units_differ", "values_swapped", "dates_missing", "names_missing",
    "negations_missing", "negations_alone", "negations_left_out", "opposites", "speakers_missing", "quotes_missing",
    "links_missing", "terms_missing", "days_missing", "days_differ", "islands_elsewhere",
)  # fmt: skip
FALLING_ACROSS = ("numbers_missing", "spelled_missing", "dates_missing", "names_missing", "negations_differ")
SHOWN = (0.5, 0.6, 0.7, 0.8)
DISTRACTORS = 5  # other sentences of a made document
NEGATED = {
    "en": (r"\b(is|are|was|were|has|have|can|will)\b", r"\1 not"),
    "de": (r"\b(ist|sind|war|waren|hat|haben|kann|wird|werden)\b", r"\1 nicht"),
    "ja": (r"(ています|ました|ます|である|です)。", "ません。"),
    "zh": (r"(是|有|可以|会|将|能)", r"不\1"),
}


def fitted(table: np.ndarray, labels: np.ndarray, settings: dict[str, Any], falling: Sequence[int]) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    monotone = [-1 if at in falling else 0 for at in range(table.shape[1])]
    return HistGradientBoostingClassifier(monotonic_cst=monotone, **settings).fit(table, labels)


def cross_validated(
    table: np.ndarray, labels: np.ndarray, folds: np.ndarray, settings: dict[str, Any], falling: Sequence[int]
) -> np.ndarray:
    """The probability of each row by a model that saw no row of its fold."""
    found = np.zeros(len(labels))
    for fold in range(FOLDS):
        fit = fitted(table[folds != fold], labels[folds != fold], settings, falling)
        found[folds == fold] = fit.predict_proba(table[folds == fold])[:, 1]
    return found


def fold_of(key: str) -> int:
    return zlib.crc32(key.encode()) % FOLDS


def within_values(row: ClaimRow) -> tuple[float, ...]:
    claim = claims.claim_of(row)
    prepared = passages.prepare(claims.sources_of(row))
    tokens = tokenize(claim.text, claim.language)
    terms = passages.terms(tokens, 0, len(tokens.texts))
    found = passages.search(terms, prepared)
    return model.signs(views.view(claim, tokens, terms, prepared, found)).values


def fit_within(paths: Sequence[Path], held_out: Path) -> Any:
    sets = {path.name.split(".")[0]: claims.rows(str(path)) for path in paths}
    rows = [row for own in sets.values() for row in own]
    table = np.array([within_values(row) for row in rows], dtype=np.float32)
    labels = np.array([bool(row.supported) for row in rows])
    folds = np.array([fold_of(row.article) for row in rows])
    falling = [model.FEATURES.index(name) for name in FALLING]
    found = cross_validated(table, labels, folds, SETTINGS, falling)
    found = np.where(model.vetoed(table), 0, found)
    by_id = dict(zip((row.id for row in rows), found.tolist(), strict=True))
    for name, own in sets.items():
        print_figures(name, own, by_id)
    unseen = {row.article for row in claims.rows(str(held_out))}
    is_used = np.array([row.article not in unseen for row in rows])
    return fitted(table[is_used], labels[is_used], SETTINGS, falling)


def print_figures(name: str, rows: Sequence[ClaimRow], by_id: dict[str | int, float]) -> None:
    """Published precision and the share of kept claims at some thresholds; then all metrics at the shipped ones."""
    for language in sorted({row.claim_lang for row in rows}):
        own = np.array([by_id[row.id] for row in rows if row.claim_lang == language])
        right = np.array([bool(row.supported) for row in rows if row.claim_lang == language])
        parts = [f"at {at}: {right[own >= at].mean():.3f} / {(own[right] >= at).mean():.3f}" for at in SHOWN]
        print(f"{name} {language}: published precision / kept", *parts, sep="  ")
    predictions = {row.id: {"score": score_of(by_id[row.id], model.threshold_of(row.claim_lang))} for row in rows}
    print(name, claims.metrics(rows, predictions), flush=True)


def parallel_sentences(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The sentences by language, in one order; translations are assigned to each other by their vectors."""
    from scipy.optimize import linear_sum_assignment

    by_language: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in read(path):
        by_language[row["lang"]].append(row)
    vectors = {language: encode([row["text"] for row in rows]) for language, rows in by_language.items()}
    base = vectors["en"]
    return {
        language: [rows[at] for at in linear_sum_assignment(-(base @ vectors[language].T))[1]]
        for language, rows in by_language.items()
    }


def made_rows(sentences: dict[str, list[dict[str, Any]]]) -> Iterator[ClaimRow]:
    """Documents in one language and claims about them in another: true ones, and ones with an error."""
    for source, target in permutations(sentences, 2):
        for at, row in enumerate(sentences[source]):
            others = [int(chance(source, target, at, number) * len(sentences[source])) for number in range(DISTRACTORS)]
            chosen = [row["text"], *(sentences[source][other]["text"] for other in others if other != at)]
            texts = sorted(chosen, key=lambda text: chance(target, text))
            made = [(None, sentences[target][at]["text"]), *planted(sentences[target], at, {at, *others})]
            for error, claim in made:
                yield ClaimRow(
                    id=f"{source}-{target}", lang=source, claim_lang=target, sources=tuple(texts), claim=claim,
                    supported=error is None, error=error, article=str(at),
                )  # fmt: skip


def planted(rows: Sequence[dict[str, Any]], at: int, used: set[int]) -> Iterator[tuple[str, str]]:
    """At most two claims with an error: of another sentence, number, name or negation."""
    text, language = rows[at]["text"], rows[at]["lang"]
    found: list[tuple[str, str]] = []
    numbers = re.findall(r"\d+", text)
    if numbers:
        changed = str(int(numbers[0]) + 1 + int(9 * chance(text, "by")))
        found.append(("number", text.replace(numbers[0], changed, 1)))
    pattern, negated = NEGATED[language]
    if re.search(pattern, text):
        found.append(("negation", re.sub(pattern, negated, text, count=1)))
    names = re.findall(r"(?<=[a-zäöüß,] )[A-Z][a-z]{3,}", text) if language == "en" else []
    if names:
        found.append(("name", text.replace(names[0], "Halvorsen", 1)))
    alike = [
        row["text"] for number, row in enumerate(rows) if number not in used and row["topics"] == rows[at]["topics"]
    ]
    found.append(("other", alike[int(chance(text, "other") * len(alike))]))
    yield from sorted(found, key=lambda pair: chance(pair[1]))[:2]


def across_values(rows: Sequence[ClaimRow]) -> np.ndarray:
    texts = sorted({text for row in rows for text in (row.claim, *row.sources)})
    place = {text: at for at, text in enumerate(texts)}
    vectors = encode(texts)
    table = []
    for row in rows:
        prepared = passages.prepare(claims.sources_of(row))
        written = [row.sources[one.document_id][one.start : one.end] for one in prepared.sentences]
        sources = np.array([vectors[place[text]] if text in place else encode([text])[0] for text in written])
        embedded = across.Embedded(numbers=tuple(range(len(written))), vectors=sources)
        claim = claims.claim_of(row)
        found, cosines = across.nearest(vectors[place[row.claim]], embedded, embedded.numbers)
        tokens = tokenize(claim.text, claim.language)
        table.append(across.check(claim, tokens, prepared, found, cosines).values)
    return np.array(table, dtype=np.float32)


def fit_across(path: Path) -> Any:
    rows = list(made_rows(parallel_sentences(path)))
    table, labels = across_values(rows), np.array([bool(row.supported) for row in rows])
    folds = np.array([fold_of(row.article) for row in rows])
    falling = [across.FEATURES.index(name) for name in FALLING_ACROSS]
    print("made rows", len(rows), "supported", int(labels.sum()))
    found = cross_validated(table, labels, folds, ACROSS_SETTINGS, falling)
    print_across(rows, labels, found)
    return fitted(table, labels, ACROSS_SETTINGS, falling)


def print_across(rows: Sequence[ClaimRow], labels: np.ndarray, found: np.ndarray) -> None:
    for at in (0.3, 0.35, 0.4, 0.45, 0.5, 0.6):
        kept, caught = (found[labels] >= at).mean(), (found[~labels] < at).mean()
        precision = labels[found >= at].mean()
        print(f"across at {at}: balanced {(kept + caught) / 2:.3f}, precision {precision:.3f}, kept {kept:.3f}")
    for error in sorted({row.error for row in rows if row.error}):
        of = np.array([row.error == error for row in rows])
        print(f"  caught: {error} {(found[of] < model.ACROSS_THRESHOLD).mean():.3f} of {of.sum()}")
    for name in sorted({row.id for row in rows}):
        of = np.array([row.id == name for row in rows])
        kept, caught = (
            (found[of & labels] >= model.ACROSS_THRESHOLD).mean(),
            (found[of & ~labels] < model.ACROSS_THRESHOLD).mean(),
        )
        print(f"  {name}: balanced {(kept + caught) / 2:.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--parallel", type=Path, required=True)
    parser.add_argument("--held-out", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    parts = {"across_": fit_across(given.parallel), "within_": fit_within(given.files, given.held_out)}
    if given.write:
        stored = {f"{prefix}{name}": value for prefix, fit in parts.items() for name, value in arrays(fit).items()}
        np.savez_compressed(Path(model.__file__).with_name("model.npz"), **stored)


if __name__ == "__main__":
    main()
