"""What a check gives: values for the model, and findings for people."""

from dataclasses import dataclass

from scoop.model import FindingKind


@dataclass(frozen=True, slots=True)
class Signs:
    """The values are in the order of the check's FEATURES; a finding is a sentence about what is not supported.

    `kind` is that of the first finding.
    """

    values: tuple[float, ...]
    findings: tuple[str, ...] = ()
    kind: FindingKind = "passage"
