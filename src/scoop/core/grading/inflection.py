"""Inflection: the forms of English words."""

from functools import lru_cache


@lru_cache(maxsize=1 << 14)
def inflected(lemma: str, tag: str) -> str:
    """A word in the form that a Penn tag names; the base form if no such form is known."""
    import lemminflect  # with spaCy: over a second, which every command would pay

    forms = lemminflect.getInflection(lemma, tag)
    return str(forms[0]) if forms else lemma
