"""Support: whether a sentence follows from the passages that it cites. `verdicts.judge()` decides."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoop.model import Citation, FindingKind

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
"""Gives a vector of length 1 for each text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedClaim:
    """A sentence that must follow from the cited passages; from any passage of the sources if it cites none."""

    text: str
    language: str
    cited: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """The decision about a claim: `findings` name what is not supported, `passages` are the evidence.

    `kind` is that of the first finding. `is_open`: it is not supported for want of proof only; nothing in it
    contradicts the sources.
    """

    is_supported: bool
    score: float
    findings: tuple[str, ...]
    passages: tuple[Citation, ...]
    kind: FindingKind = "passage"
    is_open: bool = False
