"""The text of a document that is embedded."""

from scoop.core import text

LEAD_CHARACTERS = 400  # of the body; distinguished events better than 1,000


def embedding_text(title: str, body_text: str) -> str:
    """The title and the lead of the body."""
    return f"{title}. {text.truncated(body_text, LEAD_CHARACTERS)}".rstrip()


def with_recipe(model_version: str) -> str:
    """The model version with how texts are cut: vectors of texts cut differently are never compared."""
    return f"{model_version}+lead{LEAD_CHARACTERS}"
