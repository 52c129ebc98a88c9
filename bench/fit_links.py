"""Fit the model of the probability that two documents cover one event, and the weights of words.

python bench/fit_links.py lexicon FILE... --alone FILE...                      the weights of words, from all texts
python bench/fit_links.py links FILE... --stream FILE... --alone FILE...       cross-validated figures
python bench/fit_links.py links FILE... --stream FILE... --alone FILE... --write      the model, too

FILEs are NDJSON of labelled articles, as `scoop evaluate` takes them. Those of --stream are real streams, in which most
articles are alone; the others are also cut to teasers and mixed into streams. Those of --alone have articles in several
languages, each about an event of its own, as `scoop evaluate --task summaries` takes them. Also needs scikit-learn and
stopwordsiso. The shipped model is that of the sets allsides21, neus, fnc, ecb, basil, meantime, and the stream, with
sum_ja, sum_zh, sum_de and sum_wikinews.
"""

import argparse
import tempfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

from link_worlds import STREAMS, TEASER, WHOLE, World, alone, embedded, read, stream, words, world
from scoop.core import event_groups, links, signals
from scoop.core.embedding_text import with_recipe
from scoop.embedders.local import Local
from scoop.stages.link import REMEMBERED_AT

CORE = Path(links.__file__).parent
COVERAGE_AT = (
    0.45  # the mean link probability of a group: of 0.3 to 0.5, where the fewest events fall apart or together
)
MERGE_AT, SURE_AT = 0.90, 0.94  # cosines with and without similar titles; no set has a false pair at or above them
GLANCE = 25  # trees that are evaluated first, to skip hopeless pairs
LOST_BY_A_GLANCE = 0.0005  # share of the links from LIKELY_AT on that this may lose
LIKELY_AT = 0.2
SIZE = 1 << signals._LEXICON_BITS  # places for words
RARELY = 2  # documents
MANY_ALONE = 200  # articles: teasers of fewer, all about four companies, cost recall on other streams
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
FOLDS = 4  # of the stories, for the calibration
LEAST_SCORE = -3.0  # of the pairs that the calibration is fitted to; the many below are nearly all wrong


@dataclass(frozen=True)
class Calibrated:
    """Trees, and the line that makes log odds of their scores."""

    trees: Any
    slope: float
    intercept: float

    def probabilities(self, table: np.ndarray) -> np.ndarray:
        log_odds = self.slope * self.trees.decision_function(table) + self.intercept
        probabilities: np.ndarray = 1 / (1 + np.exp(-log_odds))
        return probabilities


def half(story: str) -> int:
    return zlib.crc32(story.encode()) % 2


def fold(story: str) -> int:
    return zlib.crc32(story.encode()) // 2 % FOLDS


def are(one: World, part: Callable[[str], int], number: int) -> np.ndarray:
    """Whether each document of a world is in a part of the stories."""
    return np.array([part(story) == number for story in one.labels])


def calibrated(worlds: Sequence[World]) -> Calibrated:
    """The model of these worlds; its line is fitted to pairs that trees did not see, as they are too sure of others."""
    from sklearn.linear_model import LogisticRegression

    scores, answers, weights = [], [], []
    for number in range(FOLDS):
        trees = fitted([one.within(~are(one, fold, number)) for one in worlds])
        for one in worlds:
            rows, counts = one.unseen(are(one, fold, number))
            scores.append(trees.decision_function(one.table[rows]))
            answers.append(one.is_same[rows])
            weights.append(counts * one.weights[rows])
    score, is_same, weight = map(np.concatenate, (scores, answers, weights))
    used = score >= LEAST_SCORE
    line = LogisticRegression(C=np.inf).fit(score[used, None], is_same[used], weight[used] / weight[used].mean())
    return Calibrated(fitted(worlds), float(line.coef_[0, 0]), float(line.intercept_[0]))


def fitted(worlds: Sequence[World]) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    table = np.concatenate([one.table[~one.is_open] for one in worlds])
    is_same = np.concatenate([one.is_same[~one.is_open] for one in worlds])
    weight = np.concatenate([one.weights[~one.is_open] for one in worlds])
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


def calibrated_arrays(model: Calibrated) -> dict[str, Any]:
    """The trees as arrays whose sums are log odds."""
    found = arrays(model.trees)
    return {
        **found,
        "values": (model.slope * found["values"]).astype(np.float32),
        "start": model.slope * found["start"] + model.intercept,
    }


def hopeless_at(model: Calibrated, worlds: Sequence[World]) -> float:
    """The log odds after the first trees below which almost no pair is likely at the end."""
    table = np.concatenate([one.table for one in worlds])
    final = model.probabilities(table)
    *_, scores = (score for _, score in zip(range(GLANCE), model.trees.staged_decision_function(table), strict=False))
    glanced = model.slope * scores + model.intercept
    lowest = float(np.quantile(glanced[final >= LIKELY_AT], LOST_BY_A_GLANCE))
    print("share of pairs evaluated by all trees", round(float((glanced >= lowest).mean()), 3))
    return lowest


def links_command(
    paths: Sequence[Path], streams: Sequence[Path], unrelated: Sequence[Path], cache: Path, write: bool
) -> None:
    rows = {path.name: read(path) for path in (*paths, *streams)}
    for path, most in product(unrelated, (TEASER, WHOLE)):
        for language, articles in alone(read(path), most).items():
            if most == WHOLE or len(articles) >= MANY_ALONE:
                rows[f"{path.name} {language} {most}"] = articles
    mixed = [row for path in paths for row in rows[path.name]]
    parts: dict[int | None, list[World]] = {}
    for side in (0, 1, None):
        chosen = [[row for row in source if side in {None, half(row["story"])}] for source in rows.values()]
        made = [
            stream([row for row in mixed if side in {None, half(row["story"])}], number) for number in range(STREAMS)
        ]
        parts[side] = [world(part, embedded(part, cache)) for part in (*chosen, *made)]
    whole = dict(zip(rows, parts[None], strict=False))
    models = [
        calibrated([*parts[1 - side], *(one.within(are(one, half, 1 - side)) for one in parts[None])])
        for side in (0, 1)
    ]
    for name, one in whole.items():
        print_figures(name, one, [model.probabilities(one.table) for model in models])
    if write:
        worlds = [one for part in parts.values() for one in part]
        model = calibrated(worlds)
        print(f"slope {model.slope:.3f}, intercept {model.intercept:.3f}")
        np.savez_compressed(
            CORE / "link_models" / links.file_name(Local.model.name, with_recipe(Local.model.version)),
            **calibrated_arrays(model),
            glance=GLANCE,
            hopeless_at=hopeless_at(model, worlds),
            coverage_at=COVERAGE_AT,
            merge_at=MERGE_AT,
            sure_at=SURE_AT,
        )


def print_figures(name: str, one: World, held_out: Sequence[np.ndarray]) -> None:
    """The figures of the documents whose stories were not used for fitting, in the mean of both halves."""
    sides = [are(one, half, side) for side in (0, 1)]
    for threshold in (0.3, 0.35, 0.4, 0.45, 0.5):
        figures = [
            _of_half(grouped(one, probabilities, threshold), one, is_of)
            for is_of, probabilities in zip(sides, held_out, strict=True)
        ]
        precision, recall, b_cubed = np.mean(figures, axis=0)
        print(name, threshold, f"precision {precision:.3f}, recall {recall:.3f}, B-cubed F1 {b_cubed:.3f}", flush=True)
    unseen = [one.unseen(is_of) for is_of in sides]
    same = np.concatenate([one.is_same[rows] for rows, _ in unseen])
    counts = np.concatenate([counts for _, counts in unseen])
    given = np.concatenate([probabilities[rows] for (rows, _), probabilities in zip(unseen, held_out, strict=True)])
    for low, high in pairwise(BINS):
        inside = (given >= low) & (given < high)
        if inside.any():
            right, mean = (np.average(values[inside], weights=counts[inside]) for values in (same, given))
            print(f"  from {low}: {counts[inside].sum():.0f} links, {right:.2f} right, {mean:.2f} given")


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


def lexicon_command(paths: Sequence[Path], unrelated: Sequence[Path]) -> None:
    """Write the weight of each word: 0 for a stop word of any language, the highest for a word that does not occur."""
    import stopwordsiso

    seen, documents = seen_in([f"{row['title']} {row['text']}" for path in paths for row in read(path)])
    weights = np.log((documents + 1) / np.maximum(seen - 0.5, 1.0))
    for texts in by_language(unrelated).values():
        there, count = seen_in(texts)
        lower = np.log((count + 1) / np.maximum(there - 0.5, 0.5)) / np.log(2 * (count + 1)) * weights.max()
        is_common = (there > RARELY) & (seen <= RARELY)  # a word of English, too, has the weight that it has there
        weights = np.where(is_common, np.minimum(weights, lower), weights)
    for language in stopwordsiso.langs() - {"en"}:
        parts = {part for word in stopwordsiso.stopwords(language) for part in words(word)}
        for place in {signals._term(part) & (SIZE - 1) for part in parts}:
            weights[place] = weights[place] if seen[place] > RARELY else 0  # `war` is one in German, not in English
    weights[[signals._term(word) & (SIZE - 1) for word in STOP_WORDS]] = 0
    (CORE / "lexicon.bin").write_bytes(np.clip(np.round(weights * 16), 0, 255).astype(np.uint8).tobytes())


def by_language(unrelated: Sequence[Path]) -> dict[str, list[str]]:
    """The texts of each language but English."""
    texts: dict[str, list[str]] = {}
    for row in (row for path in unrelated for row in read(path) if row["lang"] != "en"):
        document = row["documents"][0]
        whole = " ".join((document.get("title") or "", row["references"][0], document["text"]))
        texts.setdefault(row["lang"], []).append(whole)
    return texts


def seen_in(texts: Sequence[str]) -> tuple[np.ndarray, int]:
    """In how many texts each place of the lexicon has a word, and how many texts there are."""
    seen = np.zeros(SIZE)
    for one in texts:
        seen[list({signals._term(word) & (SIZE - 1) for word in words(one)})] += 1
    return seen, len(texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("lexicon", "links"))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--stream", nargs="+", type=Path, default=[])
    parser.add_argument("--alone", nargs="+", type=Path, default=[])
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.what == "lexicon":
        lexicon_command(options.files, options.alone)
    else:
        links_command(options.files, options.stream, options.alone, options.cache, options.write)


if __name__ == "__main__":
    main()
