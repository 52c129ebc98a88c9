"""What of a document is embedded."""

from scoop.core import text

LEAD_CHARACTERS = 400  # of the body; whole leads tell events apart better than the 1,000 characters tried beside them


def embedding_text(title: str, body_text: str) -> str:
    """The title and the lead of the body."""
    return f"{title}. {text.truncated(body_text, LEAD_CHARACTERS)}".rstrip()


def with_recipe(model_version: str) -> str:
    """The version that vectors are kept under: vectors of texts that were cut otherwise are never compared."""
    return f"{model_version}+lead{LEAD_CHARACTERS}"
