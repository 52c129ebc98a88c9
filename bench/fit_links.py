"""Fit the model of the probability that two documents cover one event, and the weights of words.

python bench/fit_links.py lexicon FILE...                              the weights of words, from all texts
python bench/fit_links.py links FILE... --stream FILE... [--write]     cross-validated figures; with --write the model

FILEs are NDJSON of labelled articles, as `scoop evaluate` takes them. Those of --stream are real streams, in which most
articles are alone; the others are also cut to teasers and mixed into streams. Also needs scikit-learn and stopwordsiso.
The shipped model is that of the sets allsides21, neus, fnc, ecb, basil, meantime, and the stream.
"""

import argparse
import asyncio
import gzip
import hashlib
import json
import tempfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from scoop.core import editions, event_groups, genres, links, publishers, signals, text, urls
from scoop.core.embedding_text import embedding_text, with_recipe
from scoop.core.event_groups import UNKNOWN_FAMILY, GroupableStory
from scoop.embedders.local import Local
from scoop.stages.link import REMEMBERED_AT

CORE = Path(links.__file__).parent
CANDIDATES = 30
COVERAGE_AT = 0.5  # the mean link probability of a group; the best of 0.35 to 0.55 over all sets
MERGE_AT, SURE_AT = 0.90, 0.94  # cosines with and without similar titles; no set has a false pair at or above them
GLANCE = 25  # trees that are evaluated first, to skip hopeless pairs
LOST_BY_A_GLANCE = 0.0005  # share of the links from LIKELY_AT on that this may lose
LIKELY_AT = 0.2
RARELY = 2  # documents
STOP_WORDS = """
    a about after all also an and are as at be been but by can could did do for from had has have he her his i if in
    into is it its just more mr ms new no not of on or our out over said says she so some than that the their them then
    there they this to up us was we were what when which who will with would you your
""".split()  # noqa: SIM905
MONOTONE = {
    "cosine": 1, "title_terms": 1, "body_terms": 1, "lead_terms": 1, "title_words": 1, "names": 1, "title_numbers": 1,
    "numbers": 1, "numbers_differ": -1, "days_apart": -1, "containment": 1, "same_publisher": -1, "less_near": 1,
    "more_near": 1, "low_rank": -1, "high_rank": -1, "common": 1, "title_in_lead": 1, "titles_in_leads": 1,
}  # fmt: skip
SETTINGS = {
    "max_iter": 100, "learning_rate": 0.15, "max_leaf_nodes": 20, "max_depth": 6, "min_samples_leaf": 30,
    "l2_regularization": 5,
}  # fmt: skip


EASY_COSINE = 0.5  # one in EASY_SHARE of the pairs of two stories below it is used, with the weight of all
EASY_SHARE = 4
BINS = (0.2, 0.5, 0.7, 0.9, 1.01)  # of the reliability of probabilities

# Streams made of the sets: most stories have one article, a few have many, all are teasers of one week.
STREAMS = 4
INCLUDED = 0.6  # stories
ALONE = 0.85  # small stories
LARGE_STORY = 6  # articles
LARGE_KEPT = 0.25  # large stories; without large events in its streams, the model breaks those of a real one apart
MAX_KEPT = 12
PUBLISHERS = 20
SAME_PUBLISHER = 0.15  # articles by the publisher of the story's first one
DAYS = 7
HOURS_APART = 17  # on average, of the articles of one story


@dataclass
class World:
    """A labelled set of articles with all of its candidate pairs.

    A pair of two stories is `is_open` if the stories share a wider label: it is neither right nor wrong.
    """

    pairs: np.ndarray
    table: np.ndarray
    is_same: np.ndarray
    is_open: np.ndarray
    labels: list[str]
    wide: list[frozenset[str]]
    stories: list[GroupableStory]


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
        is_of_many_events=genres.genre(row["title"], row["url"]) in genres.OF_MANY_EVENTS,
        dated_title=editions.dated_title(row["title"]),
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
    labels, wide = [row["story"] for row in rows], [frozenset(row.get("wide", row["story"]).split()) for row in rows]
    is_same = np.array([labels[one] == labels[other] for one, other in pairs])
    shares_label = np.array([bool(wide[one] & wide[other]) for one, other in pairs])
    return World(
        pairs=both,
        table=np.hstack([own, around]),
        is_same=is_same,
        is_open=shares_label & ~is_same,
        labels=labels,
        wide=wide,
        stories=[
            GroupableStory(
                story_id=number,
                families=frozenset({document.publisher or UNKNOWN_FAMILY}),
                may_join=not document.is_of_many_events,
            )
            for number, document in enumerate(documents)
        ],
    )


def chance(*key: object) -> float:
    """A number from 0 to 1 that depends on the key alone."""
    return int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:6], "little") / (1 << 48)


def stream(rows: Sequence[dict[str, Any]], number: int) -> list[dict[str, Any]]:
    """A stream made of labelled articles: most stories have one article, and every text is a teaser."""
    by_story: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_story.setdefault(row["story"], []).append(row)
    return [
        teaser(row, place, number)
        for story, articles in sorted(by_story.items())
        if chance(number, "included", story) < INCLUDED
        for place, row in enumerate(
            sorted(articles, key=lambda row: chance(number, "order", row["id"]))[: kept(story, len(articles), number)]
        )
    ]


def kept(story: str, size: int, number: int) -> int:
    """How many articles of a story a stream has."""
    if size >= LARGE_STORY:
        return min(size, MAX_KEPT) if chance(number, "large", story) < LARGE_KEPT else 1
    return 1 if chance(number, "alone", story) < ALONE else size


def teaser(row: dict[str, Any], place: int, number: int) -> dict[str, Any]:
    """The article as a feed of one of the publishers has it, in some hour of the week."""
    story, article = row["story"], row["id"]
    ranks = sorted(range(PUBLISHERS), key=lambda one: chance(number, "publisher", story, one) / (1 + one % 4))
    is_repeat = chance(number, "repeat", article) < SAME_PUBLISHER
    publisher = ranks[0 if is_repeat else place % PUBLISHERS]
    hours = 24 * DAYS * chance(number, "day", story) - HOURS_APART * np.log(1e-6 + chance(number, "hour", article))
    return {
        **row,
        "text": text.truncated(row["text"], teaser_length(number, article)),
        "url": f"https://publisher{publisher}.example/{article}",
        "published_at": datetime.fromtimestamp(1_700_000_000 + 3600 * hours, UTC).isoformat(),
    }


def teaser_length(number: int, article: str) -> int:
    """The characters of a teaser: two of three have one sentence, some three, and some feeds give the article."""
    kind, share = chance(number, "kind", article), chance(number, "length", article)
    if kind < 0.65:
        return int(80 + 140 * share)
    return int(220 + 500 * share) if kind < 0.85 else 1_500


def half(row: dict[str, Any]) -> int:
    return zlib.crc32(row["story"].encode()) % 2


def fitted(worlds: Sequence[World]) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    table = np.concatenate([one.table[~one.is_open] for one in worlds])
    is_same = np.concatenate([one.is_same[~one.is_open] for one in worlds])
    weight = np.concatenate([np.full((~one.is_open).sum(), len(one.is_same) ** -0.5) for one in worlds])
    is_easy = (table[:, 0] < EASY_COSINE) & ~is_same
    used = ~is_easy | (np.arange(len(is_same)) % EASY_SHARE == 0)
    weight = np.where(is_easy, EASY_SHARE * weight, weight)[used]
    monotone = [MONOTONE.get(name, 0) for name in links.FEATURES]
    model = HistGradientBoostingClassifier(monotonic_cst=monotone, random_state=0, **SETTINGS)
    return model.fit(table[used], is_same[used], sample_weight=weight / weight.mean())


def grouped(one: World, probabilities: np.ndarray, threshold: float) -> list[int]:
    weights = {
        (int(a), int(b)): float(p) for (a, b), p in zip(one.pairs, probabilities, strict=True) if p >= REMEMBERED_AT
    }
    groups = event_groups.group_stories(one.stories, weights, (), threshold)
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
    """The score after the first trees below which almost no pair is likely at the end."""
    table = np.concatenate([one.table for one in worlds])
    final = model.predict_proba(table)[:, 1]
    *_, glanced = (score for _, score in zip(range(GLANCE), model.staged_decision_function(table), strict=False))
    lowest = float(np.quantile(glanced[final >= LIKELY_AT], LOST_BY_A_GLANCE))
    print("share of pairs evaluated by all trees", round(float((glanced >= lowest).mean()), 3))
    return lowest


def links_command(paths: Sequence[Path], streams: Sequence[Path], cache: Path, write: bool) -> None:
    rows = {path.name: read(path) for path in (*paths, *streams)}
    mixed = [row for path in paths for row in rows[path.name]]
    parts: dict[int | None, list[World]] = {}
    for side in (0, 1, None):
        chosen = [[row for row in source if side in {None, half(row)}] for source in rows.values()]
        made = [stream([row for row in mixed if side in {None, half(row)}], number) for number in range(STREAMS)]
        parts[side] = [world(part, embedded(part, cache)) for part in (*chosen, *made)]
    whole = dict(zip(rows, parts[None], strict=False))
    models = [fitted(parts[1 - side]) for side in (0, 1)]
    for name, one in whole.items():
        sides = np.array([half(row) for row in rows[name]])
        held_out = [model.predict_proba(one.table)[:, 1] for model in models]
        print_figures(name, one, sides, held_out)
    if write:
        worlds = [one for part in parts.values() for one in part]
        model = fitted(worlds)
        np.savez_compressed(
            CORE / "link_models" / links.file_name(Local.model.name, with_recipe(Local.model.version)),
            **arrays(model),
            glance=GLANCE,
            hopeless_at=hopeless_at(model, worlds),
            coverage_at=COVERAGE_AT,
            merge_at=MERGE_AT,
            sure_at=SURE_AT,
        )


def print_figures(name: str, one: World, sides: np.ndarray, held_out: Sequence[np.ndarray]) -> None:
    """The figures of the documents whose stories were not used for fitting, in the mean of both halves."""
    for threshold in (0.4, 0.5, 0.6):
        figures = [
            _of_half(grouped(one, probabilities, threshold), one, sides == side)
            for side, probabilities in enumerate(held_out)
        ]
        precision, recall, b_cubed = np.mean(figures, axis=0)
        print(name, threshold, f"precision {precision:.3f}, recall {recall:.3f}, B-cubed F1 {b_cubed:.3f}", flush=True)
    is_of = [(sides[one.pairs] == side).all(axis=1) & ~one.is_open for side in (0, 1)]
    same = np.concatenate([one.is_same[rows] for rows in is_of])
    probabilities = np.concatenate([held_out[side][rows] for side, rows in enumerate(is_of)])
    related = np.concatenate([one.table[rows][:, links._RELATED_ONLY].any(axis=1) for rows in is_of])
    for low, high in pairwise(BINS):
        inside = (probabilities >= low) & (probabilities < high) & ~related
        if inside.any():
            share, mean = same[inside].mean(), probabilities[inside].mean()
            print(f"  from {low}: {inside.sum()} links, {share:.2f} right, {mean:.2f} given")


def _of_half(labels: Sequence[int], one: World, mask: np.ndarray) -> tuple[float, float, float]:
    """Pairwise precision and recall, and B-cubed F1."""
    rows = [_company(number, labels, one) for number in np.flatnonzero(mask).tolist()]
    hits, found, wanted = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    precision, recall = (hits / found).mean(), (hits / wanted).mean()
    pair_precision = (hits - 1).sum() / max(1, (found - 1).sum())
    pair_recall = (hits - 1).sum() / max(1, (wanted - 1).sum())
    return pair_precision, pair_recall, 2 * precision * recall / (precision + recall)


def _company(number: int, labels: Sequence[int], one: World) -> tuple[int, int, int]:
    """How many documents are rightly in a document's group, how many are in it, and how many should be."""
    story = one.labels[number]
    inside = [other for other, label in enumerate(labels) if label == labels[number]]
    hits = sum(one.labels[other] == story for other in inside)
    opened = sum(one.labels[other] != story and bool(one.wide[other] & one.wide[number]) for other in inside)
    return hits, len(inside) - opened, one.labels.count(story)


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
    parser.add_argument("--stream", nargs="+", type=Path, default=[])
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.what == "lexicon":
        lexicon_command(options.files)
    else:
        links_command(options.files, options.stream, options.cache, options.write)


if __name__ == "__main__":
    main()
