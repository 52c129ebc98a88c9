"""Fit the model of the probability that two documents cover one event, and the weights of words.

python bench/fit_links.py lexicon FILE...            the weights of words, from all texts
python bench/fit_links.py links FILE... [--write]    cross-validated figures; with --write the model itself

FILEs are NDJSON of labelled articles, as `scoop evaluate` takes them. Also needs scikit-learn and stopwordsiso.
"""

import argparse
import asyncio
import gzip
import hashlib
import json
import tempfile
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from scoop.core import clusters, links, publishers, signals, text, urls
from scoop.core.embedding_text import embedding_text, with_recipe
from scoop.embedders.local import Local
from scoop.stages.link import REMEMBERED_AT

CORE = Path(links.__file__).parent
CANDIDATES = 30
COVERAGE_AT = 0.5  # the mean link probability of a group; the best of 0.35 to 0.55 over all sets
MERGE_AT, SURE_AT = 0.90, 0.94  # cosines with and without similar titles; no set has a false pair at or above them
GLANCE = 60  # trees that are evaluated first, to skip hopeless pairs
LOST_BY_A_GLANCE = 0.0005  # share of the links that this may lose
RARELY = 2  # documents
STOP_WORDS = """
    a about after all also an and are as at be been but by can could did do for from had has have he her his i if in
    into is it its just more mr ms new no not of on or our out over said says she so some than that the their them then
    there they this to up us was we were what when which who will with would you your
""".split()  # noqa: SIM905
MONOTONE = {
    "cosine": 1, "title_terms": 1, "body_terms": 1, "lead_terms": 1, "title_words": 1, "names": 1, "title_numbers": 1,
    "numbers": 1, "numbers_differ": -1, "days_apart": -1, "containment": 1, "same_publisher": -1, "less_near": 1,
    "more_near": 1, "low_rank": -1, "high_rank": -1, "common": 1,
}  # fmt: skip
SETTINGS = {
    "max_iter": 300, "learning_rate": 0.06, "max_leaf_nodes": 20, "max_depth": 6, "min_samples_leaf": 30,
    "l2_regularization": 5,
}  # fmt: skip


@dataclass
class World:
    """A labelled set of articles with all of its candidate pairs."""

    pairs: np.ndarray
    table: np.ndarray
    is_same: np.ndarray
    stories: list[str]


def read(path: Path) -> list[dict[str, Any]]:
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return [json.loads(line) for line in content.decode().splitlines()]


def words(written: str) -> list[str]:
    return text.words(text.normalized(written))


def compared(row: dict[str, Any]) -> links.Compared:
    body = words(row["text"])
    date = row["published_at"]
    return links.Compared(
        signals=signals.extract(row["title"], row["text"]),
        day=datetime.fromisoformat(date).timestamp() / 86_400 if date else float("nan"),
        publisher=publishers.publisher_family(urls.host(row["url"]), "") if row["url"] else "",
        language=row["lang"],
        words=len(body),
    )


def embedded(rows: Sequence[dict[str, Any]], cache: Path) -> np.ndarray:
    texts = [embedding_text(row["title"], row["text"]) for row in rows]
    kept = cache / f"{hashlib.sha256(repr(texts).encode()).hexdigest()[:16]}.npy"
    if not kept.exists():
        np.save(kept, asyncio.run(Local(None, None).embed(texts)))  # type: ignore[arg-type]
    vectors: np.ndarray = np.load(kept)
    return vectors


def world(rows: Sequence[dict[str, Any]], vectors: np.ndarray) -> World:
    documents = [compared(row) for row in rows]
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -1)
    most = min(CANDIDATES, len(rows) - 1)
    order = np.argsort(-cosines, axis=1)[:, :most]
    near = [
        links.Neighbourhood(ids=order[one], cosines=cosines[one, order[one]].astype(np.float32))
        for one in range(len(rows))
    ]
    pairs = sorted({(min(one, other), max(one, other)) for one in range(len(rows)) for other in order[one].tolist()})
    by_one: dict[int, list[int]] = {}
    for one, other in pairs:
        by_one.setdefault(one, []).append(other)
    own = np.concatenate(
        [
            links.pair_features(
                documents[one], [documents[other] for other in others], cosines[one, others].astype(np.float32)
            )
            for one, others in by_one.items()
        ]
    )
    both = np.array(pairs)
    around = links.neighbourhood_features(own[:, 0], links.stack_neighbourhoods(near), both[:, 0], both[:, 1])
    stories = [row["story"] for row in rows]
    is_same = np.array([stories[one] == stories[other] for one, other in pairs])
    return World(pairs=both, table=np.hstack([own, around]), is_same=is_same, stories=stories)


def half(row: dict[str, Any]) -> int:
    return zlib.crc32(row["story"].encode()) % 2


def fitted(worlds: Sequence[World]) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    table = np.concatenate([one.table for one in worlds])
    is_same = np.concatenate([one.is_same for one in worlds])
    weight = np.concatenate([np.full(len(one.is_same), len(one.is_same) ** -0.5) for one in worlds])
    monotone = [MONOTONE.get(name, 0) for name in links.FEATURES]
    model = HistGradientBoostingClassifier(monotonic_cst=monotone, random_state=0, **SETTINGS)
    return model.fit(table, is_same, sample_weight=weight / weight.mean())


def grouped(one: World, probabilities: np.ndarray, threshold: float) -> list[int]:
    weights = {
        (int(a), int(b)): float(p) for (a, b), p in zip(one.pairs, probabilities, strict=True) if p >= REMEMBERED_AT
    }
    groups = clusters.average_linkage(dict.fromkeys(range(len(one.stories)), 1), weights, threshold=threshold)
    label = {node: number for number, members in enumerate(groups) for node in members}
    return [label[node] for node in range(len(one.stories))]


def arrays(model: Any) -> dict[str, Any]:
    """The trees as arrays of one shape; a leaf points to itself."""
    trees = [predictors[0].nodes for predictors in model._predictors]
    most = max(map(len, trees))
    shape = (len(trees), most)
    found: dict[str, Any] = {
        "features": np.zeros(shape, np.int16),
        "thresholds": np.zeros(shape, np.float32),
        "left": np.zeros(shape, np.int16),
        "right": np.zeros(shape, np.int16),
        "values": np.zeros(shape, np.float32),
    }
    for row, nodes in enumerate(trees):
        for at, node in enumerate(nodes):
            is_leaf = bool(node["is_leaf"])
            found["features"][row, at] = 0 if is_leaf else node["feature_idx"]
            found["thresholds"][row, at] = 0 if is_leaf else node["num_threshold"]
            found["left"][row, at] = at if is_leaf else node["left"]
            found["right"][row, at] = at if is_leaf else node["right"]
            found["values"][row, at] = node["value"] if is_leaf else 0
    found["start"] = float(np.ravel(model._baseline_prediction)[0])
    found["depth"] = max(int(nodes["depth"].max()) for nodes in trees)
    return found


def hopeless_at(model: Any, worlds: Sequence[World]) -> float:
    """The score after the first trees below which almost no pair reaches the probability that is stored."""
    table = np.concatenate([one.table for one in worlds])
    final = model.predict_proba(table)[:, 1]
    *_, glanced = (score for _, score in zip(range(GLANCE), model.staged_decision_function(table), strict=False))
    lowest = float(np.quantile(glanced[final >= REMEMBERED_AT], LOST_BY_A_GLANCE))
    print("share of pairs evaluated by all trees", round(float((glanced >= lowest).mean()), 3))
    return lowest


def links_command(paths: Sequence[Path], cache: Path, write: bool) -> None:
    halves: dict[tuple[str, int], World] = {}
    whole: dict[str, World] = {}
    half_of: dict[str, np.ndarray] = {}
    for path in paths:
        rows = read(path)
        vectors = embedded(rows, cache)
        sides = np.array([half(row) for row in rows])
        whole[path.name], half_of[path.name] = world(rows, vectors), sides
        for side in (0, 1):
            chosen = np.flatnonzero(sides == side)
            halves[path.name, side] = world([rows[at] for at in chosen], vectors[chosen])
        gold = sum(count * (count - 1) // 2 for count in Counter(row["story"] for row in rows).values())
        print(path.name, len(rows), "pairs found", round(whole[path.name].is_same.sum() / gold, 4), flush=True)
    for threshold in (0.35, 0.4, 0.45, 0.5, 0.55):
        scores = []
        for side in (0, 1):
            model = fitted([halves[name, 1 - side] for name in whole])
            for name, one in whole.items():
                labels = grouped(one, model.predict_proba(one.table)[:, 1], threshold)
                scores.append((name, _of_half(labels, one.stories, half_of[name] == side)))
        for name in whole:
            b_cubed, pairwise = np.mean([score for of, score in scores if of == name], axis=0)
            print(threshold, name, f"B-cubed F1 {b_cubed:.3f}, pairwise F1 {pairwise:.3f}", flush=True)
    if write:
        model = fitted([*halves.values(), *whole.values()])
        trees = arrays(model)
        np.savez_compressed(
            CORE / "link_models" / links.file_name(Local.model.name, with_recipe(Local.model.version)),
            **trees,
            glance=GLANCE,
            hopeless_at=hopeless_at(model, [*halves.values(), *whole.values()]),
            coverage_at=COVERAGE_AT,
            merge_at=MERGE_AT,
            sure_at=SURE_AT,
        )


def _of_half(labels: Sequence[int], stories: Sequence[str], mask: np.ndarray) -> tuple[float, float]:
    """B-cubed and pairwise F1 of the documents whose stories were not used for fitting."""
    sizes, gold, shared = Counter(labels), Counter(stories), Counter(zip(labels, stories, strict=True))
    rows = [(shared[a, b], sizes[a], gold[b]) for a, b, is_in in zip(labels, stories, mask, strict=True) if is_in]
    hits, found, wanted = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    precision, recall = (hits / found).mean(), (hits / wanted).mean()
    pair_precision = (hits - 1).sum() / max(1, (found - 1).sum())
    pair_recall = (hits - 1).sum() / max(1, (wanted - 1).sum())
    return (
        2 * precision * recall / (precision + recall),
        2 * pair_precision * pair_recall / max(1e-9, pair_precision + pair_recall),
    )


def lexicon_command(paths: Sequence[Path]) -> None:
    """Write the weight of each word: 0 for a stop word of any language, the highest for a word that does not occur."""
    import stopwordsiso

    size = 1 << signals._LEXICON_BITS
    seen, documents = np.zeros(size), 0
    for path in paths:
        for row in read(path):
            documents += 1
            terms = {signals._term(word) & (size - 1) for word in words(f"{row['title']} {row['text']}")}
            seen[list(terms)] += 1
    weights = np.log((documents + 1) / np.maximum(seen - 0.5, 1.0))
    for language in stopwordsiso.langs() - {"en"}:
        parts = {part for word in stopwordsiso.stopwords(language) for part in words(word)}
        for place in {signals._term(part) & (size - 1) for part in parts}:
            weights[place] = weights[place] if seen[place] > RARELY else 0  # `war` is one in German, not in English
    weights[[signals._term(word) & (size - 1) for word in STOP_WORDS]] = 0
    (CORE / "lexicon.bin").write_bytes(np.clip(np.round(weights * 16), 0, 255).astype(np.uint8).tobytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("lexicon", "links"))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.what == "lexicon":
        lexicon_command(options.files)
    else:
        links_command(options.files, options.cache, options.write)


if __name__ == "__main__":
    main()
