"""A label in a line of text, whatever a category or a column is called."""

from __future__ import annotations


def shortened(text: str, longest: int = 24) -> str:
    """A label on one line without control characters, whatever a category's text contains."""
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= longest else text[: longest - 1] + "…"
