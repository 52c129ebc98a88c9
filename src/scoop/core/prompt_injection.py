"""Prompt injection: sentences of articles that give orders to a language model instead of telling news to people."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

# Characters that nobody sees: they would hide a word from a pattern, and not from a model.
_INVISIBLE = dict.fromkeys([0xAD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, *range(0x202A, 0x202F), 0x2060, 0xFEFF])


def orders_a_model(sentence: str) -> bool:
    """Whether a sentence gives orders to a language model: a reader has no use for it."""
    return has_order(sentence, possible_orders(sentence))


def has_order(sentence: str, orders: Sequence[re.Pattern[str]]) -> bool:
    """Whether a sentence has one of the possible orders of its text."""
    visible = sentence.translate(_INVISIBLE) if orders else ""
    return any(order.search(visible) for order in orders)


def possible_orders(text: str) -> Sequence[re.Pattern[str]]:
    """The kinds of orders whose words a text has: most texts have none, and their sentences need no search."""
    lowered = text.translate(_INVISIBLE).lower()
    return [pattern for words, pattern in _orders() if any(map(lowered.__contains__, words))]


@cache
def _orders() -> Sequence[tuple[Sequence[str], re.Pattern[str]]]:
    lists = tomllib.loads(files(__package__).joinpath("prompt_injection.toml").read_text("utf-8"))
    return [(order["words"], _compiled(order["patterns"], lists["parts"])) for order in lists["orders"]]


def _compiled(patterns: Sequence[str], parts: dict[str, str]) -> re.Pattern[str]:
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    for name, part in parts.items():
        joined = joined.replace(name, part)
    return re.compile(joined, re.IGNORECASE)
