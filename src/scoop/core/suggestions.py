"""The name that somebody who mistyped one probably meant."""

from collections.abc import Iterable


def nearest(word: str, names: Iterable[str]) -> str | None:
    """The name that is most like the word, in any letter case; None where no name is near."""
    from difflib import get_close_matches  # 5 ms that only a mistake needs to pay for

    by_key = {_key(name): name for name in names}
    begun = [key for key in by_key if len(word) > 1 and key.startswith(_key(word))]
    close = begun if len(begun) == 1 else get_close_matches(_key(word), by_key, n=1)
    return by_key[close[0]] if close else None


def question(word: str, names: Iterable[str]) -> str:
    """`; did you mean NAME?` for the end of an error message, or nothing."""
    name = nearest(word, names)
    return f"; did you mean {name}?" if name else ""


def _key(name: str) -> str:
    return name.lstrip("-").replace("-", "_").lower()
