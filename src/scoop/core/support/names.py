"""Names of a claim: whether the sources have them, beside the same words."""

from scoop.core.support.passages import STEM
from scoop.core.support.signs import Signs
from scoop.core.support.tokens import NAME
from scoop.core.support.views import View

FEATURES = ("names", "names_missing", "names_elsewhere", "names_alone", "names_half_alone", "names_moved")


def check(view: View) -> Signs:
    names = [at for at in view.indexes(NAME) if not _begins_sentence(view, at)]
    missing = [at for at in names if not _is_known(view, at)]
    alone = [at for at in names if not view.has_left[at] and not view.has_right[at]]
    values = (
        len(names),
        len(missing),
        sum(view.tokens.texts[at] not in view.vocabulary for at in names) - len(missing),
        len(alone),
        sum(view.has_left[at] != view.has_right[at] for at in names),
        sum(at not in missing for at in alone),
    )
    return Signs(values, tuple(f"the name {view.written(at)} is not in the source" for at in missing))


def _begins_sentence(view: View, at: int) -> bool:
    """Whether a capital letter may be that of a sentence: the word is the first, or follows a full stop."""
    if at == 0:
        return view.tokens.texts[0] in view.sources.vocabulary
    between = view.claim.text[view.tokens.ends[at - 1] : view.tokens.starts[at]]
    return any(mark in between for mark in '.!?:;"“„') and view.tokens.texts[at] in view.sources.vocabulary


def _is_known(view: View, at: int) -> bool:
    """Whether a source has the name, or for words of five letters and more a form of it."""
    name = view.tokens.texts[at]
    return name in view.sources.vocabulary or (len(name) > STEM and name[:STEM] in view.sources.stems)
