"""The words of a claim: how much of it the evidence has, in which runs, and what was put between them."""

from scoop.core.support.passages import STEM, is_informative
from scoop.core.support.signs import Signs
from scoop.core.support.tokens import DATE, NAME, NUMBER, SIGN, SPELLED, WORD
from scoop.core.support.views import BREAK, View

FEATURES = (
    "length", "passages", "words_in_evidence", "words_in_sources", "words_new", "words_new_share", "words_like",
    "words_elsewhere", "pairs_in_evidence", "pairs_in_sources", "signs_new", "signs_new_share", "in_long_runs",
    "in_runs", "longest_run", "runs", "replaced", "inserted", "left_out", "jumps", "longest_replaced",
    "replaced_special", "replaced_new", "edges", "edge_special", "start_replaced", "end_replaced", "single_passage",
    "alone", "is_unspaced",
)  # fmt: skip
_SPECIAL = NUMBER + SPELLED + DATE + NAME


def check(view: View) -> Signs:
    texts, kinds = view.tokens.texts, view.tokens.kinds
    count = max(len(texts), 1)
    content = [at for at, kind in enumerate(kinds) if kind in NAME + WORD and is_informative(texts[at])]
    new = [at for at in content if texts[at] not in view.sources.vocabulary]
    like = [at for at in new if len(texts[at]) >= STEM and texts[at][:STEM] in view.sources.stems]
    signs = [at for at in range(1, len(texts)) if kinds[at] == SIGN and kinds[at - 1] == SIGN]
    new_signs = [at for at in signs if (texts[at - 1], texts[at]) not in view.sources.bigrams]
    really_new = [at for at in new if at not in like]
    values = (
        len(texts),
        len(view.passages),
        _share(sum(texts[at] in view.vocabulary for at in content), len(content)),
        _share(len(content) - len(new), len(content)),
        len(really_new),
        _share(len(content) - len(really_new), len(content)),
        len(like),
        sum(texts[at] in view.sources.vocabulary and texts[at] not in view.vocabulary for at in content),
        sum(view.has_left) / count,
        (1 + sum((texts[at - 1], texts[at]) in view.sources.bigrams for at in range(1, len(texts)))) / count,
        len(new_signs),
        _share(len(signs) - len(new_signs), len(signs)),
        *_run_values(view, count),
        *_gap_values(view),
        float(len(signs) > 0),
    )
    return Signs(values, _new_words(view, really_new, new_signs))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _run_values(view: View, count: int) -> tuple[float, ...]:
    lengths = [run.length for run in view.runs]
    return (
        sum(length for length in lengths if length >= 3) / count,
        sum(lengths) / count,
        max(lengths, default=0) / count,
        len(lengths) / count,
    )


def _gap_values(view: View) -> tuple[float, ...]:
    """What the claim has between the runs that it shares with the evidence, and around them."""
    kinds, texts = view.tokens.kinds, view.tokens.texts
    near = [gap for gap in view.gaps if gap.skipped is not None]
    filled = [gap for gap in near if gap.last > gap.first]
    replaced = [gap for gap in filled if gap.skipped and gap.skipped[1] > gap.skipped[0]]
    anchors = [run for run in view.runs if run.length >= 3]
    start = anchors[0].at if anchors else len(texts)
    end = anchors[-1].at + anchors[-1].length if anchors else len(texts)
    after = anchors[-1].place + anchors[-1].length if anchors else 0
    inside = [at for gap in filled for at in range(gap.first, gap.last)]
    single = max((_covered(view, number) for number in view.passages), default=0.0)
    return (
        len(replaced),
        len(filled) - len(replaced),
        len(near) - len(filled),
        len(view.gaps) - len(near),
        max((gap.last - gap.first for gap in filled), default=0),
        sum(kinds[at] in _SPECIAL for at in inside),
        sum(texts[at] not in view.vocabulary for at in inside),
        start + len(texts) - end,
        sum(kinds[at] in _SPECIAL for at in (*range(start), *range(end, len(texts)))),
        float(bool(anchors) and start > 0 and view.evidence[anchors[0].place - 1] != BREAK),
        float(bool(anchors) and end < len(texts) and view.evidence[after] != BREAK),
        single,
        sum(not left and not right for left, right in zip(view.has_left, view.has_right, strict=True)),
    )


def _covered(view: View, number: int) -> float:
    """The share of the claim's tokens that one passage has."""
    sentence = view.sources.sentences[number]
    own = set(sentence.tokens.texts[sentence.first : sentence.last])
    return sum(token in own for token in view.tokens.texts) / max(len(view.tokens.texts), 1)


def _new_words(view: View, new: list[int], signs: list[int]) -> tuple[str, ...]:
    """A finding that names the words that no source has."""
    written = [view.written(at) for at in new] or [
        view.claim.text[view.tokens.starts[at - 1] : view.tokens.ends[at]] for at in signs
    ]
    return (f"the source has no {', '.join(dict.fromkeys(written[:5]))}",) if written else ()
