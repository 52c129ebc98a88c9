"""Whether a name stands alone: at word boundaries of its script, outside addresses, file names and identifiers."""

import re
from functools import lru_cache

from scoop.core import text

_OUTSIDE = (
    "\"'“”‘’«»<>()\\[\\]{},;*`|!?，。；：！？、（）「」『』【】…\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
)
_BEFORE, _AFTER = re.compile(rf"[^\s{_OUTSIDE}]*\Z"), re.compile(rf"[^\s{_OUTSIDE}]*")
MAX_TOKEN = 200  # characters on either side
_HOSTS = (
    "com|org|net|edu|gov|mil|int|info|biz|name|io|dev|app|ai|co|me|tv|cc|ly|gl|fm|to|sh|gg|xyz|online|site|tech|cloud"
    "|uk|de|fr|es|it|pt|br|nl|pl|ru|ua|tr|jp|cn|kr|in|au|ca|us|ch|at|be|se|no|fi|dk|cz|eu|example|test|local|localhost"
)
_FILES = (
    "py|pyc|ipynb|js|mjs|cjs|jsx|ts|tsx|json|jsonl|ya?ml|toml|ini|cfg|conf|lock|md|rst|txt|log|csv|tsv|xml|xsd|xslt?"
    "|html?|xhtml|css|scss|sass|less|php|phtml|jsp|aspx?|cs|csproj|sln|vb|fs|java|jar|war|class|kt|kts|gradle|groovy"
    "|scala|go|mod|rs|rb|erb|gemspec|pl|pm|lua|r|jl|c|cc|cpp|cxx|h|hpp|hh|m|mm|swift|sh|bash|zsh|fish|bat|cmd|ps1|exe"
    "|dll|so|dylib|lib|o|a|bin|dat|db|sqlite3?|sql|png|jpe?g|gif|svg|ico|webp|pdf|docx?|xlsx?|pptx?|zip|tar|gz|tgz|bz2"
    "|xz|7z|rar|rpm|deb|apk|ipa|dmg|iso|img|app|env|plist|properties|tf|proto|vue|svelte|mp[34]|mov|avi|wav"
)
_ADDRESS = re.compile(
    rf"[a-z][a-z0-9+.\-]*://|www\.|[\w.+\-]+@[\w\-]+\.[\w.\-]+|@?(?:[a-z0-9](?:[\w\-]*[a-z0-9])?\.)+(?:{_HOSTS})(?=[:/?#.]|\Z)",
    re.IGNORECASE,
)
_FILE = re.compile(rf"[^\s]*[\w\-)]\.(?:{_FILES})(?::\d+)*", re.IGNORECASE)
_PATH = re.compile(
    r"(?:[a-z]:)?(?:[~.]{0,2}[/\\])(?:[\w.\-@+]+[/\\])*[\w.\-@+]*|[\w.\-@+]+(?:[/\\][\w.\-@+]+){3,}", re.IGNORECASE
)
_LANGUAGE_MARK = re.compile(r"\+\+|#(?!\w)")  # C is no part of C++ and C#
_TRAILING = ".:,-/&_"
_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]")


def spaced(folded: str) -> str:
    """The text with spaces for all signs but ASCII letters and digits, and one at either end."""
    return f" {folded.encode('ascii', 'replace').translate(_SPACED).decode()} "


def key(folded: str) -> str:
    """What an ASCII name becomes in every spaced text in which it stands alone."""
    return spaced(folded)[not folded[0].isalnum() : len(folded) + 1 + folded[-1].isalnum()]


def stands_alone(folded: str, start: int, end: int) -> bool:
    """Whether `folded[start:end]` is a name of its own."""
    before, after = folded[start - 1 : start], folded[end : end + 1]
    if before and not _is_boundary(folded[start], before, folded, start, -1):
        return False
    if after and not _is_boundary(folded[end - 1], after, folded, end, 1):
        return False
    return not _is_in_code(folded, start, end)


def _is_boundary(own: str, other: str, folded: str, at: int, side: int) -> bool:
    """Whether a name can begin or end between its sign `own` and the sign `other` beside it."""
    if other == "_":
        return _is_emphasis(folded, at, side)
    if not own.isalnum():
        return side > 0 or not other.isalnum() or _touches(other)
    if other.isalnum() or _is_mark(other):
        return _may_touch(own, other)
    return side < 0 or not (own.isascii() and _LANGUAGE_MARK.match(folded, at))


def _may_touch(own: str, other: str) -> bool:
    if _KATAKANA.match(own) and _KATAKANA.match(other):
        return False
    return _touches(own) or _touches(other)


@lru_cache(maxsize=1 << 14)
def _touches(sign: str) -> bool:
    """Whether it is of a script whose words touch each other."""
    return text.is_unspaced(sign) or _HANGUL.match(sign) is not None


def _is_mark(sign: str) -> bool:
    """Whether it is a vowel sign or an accent: part of the letter before it."""
    return not sign.isascii() and not sign.isalnum() and ("a" + sign).isidentifier()


def _is_emphasis(folded: str, at: int, side: int) -> bool:
    """Whether underscores are Markdown around words, not part of an identifier."""
    if side < 0:
        outer = folded[:at].rstrip("_")[-1:]
        closed = re.compile(r"[^\W_][^\w\s]*_+(?!\w)").search(folded, at)
        return not outer.isalnum() and closed is not None
    outer = folded[at:].lstrip("_")[:1]
    opened = re.compile(r"(?<![^\W_])_+[^\W_]").search(folded, 0, at)
    return not outer.isalnum() and opened is not None


def _is_in_code(folded: str, start: int, end: int) -> bool:
    """Whether the name is part of an address, a path, a file name or a dotted identifier."""
    before, after = folded[start - 1 : start], folded[end : end + 1]
    if before in _PLAIN and after in _PLAIN:
        return False
    head = _BEFORE.search(folded[max(0, start - MAX_TOKEN) : start])
    first = start - len(head[0] if head else "")
    tail = _AFTER.match(folded, end, end + MAX_TOKEN)
    token = folded[first : tail.end() if tail else end].rstrip(_TRAILING)
    own = start - first, end - first
    if len(token) <= own[1] and own[0] == 0:
        return False
    return _is_code(token, *own)


def _is_code(token: str, start: int, end: int) -> bool:
    address = _ADDRESS.search(token)
    if address and not (address.start() == start and address.end() == end):
        return address.start() < end and start <= len(token)
    if _FILE.fullmatch(token) or (_PATH.fullmatch(token) and "/" in token + "\\"):
        return True
    after, before = token[end : end + 2], token[max(0, start - 2) : start]
    if after[:1] == "." and after[1:].isalnum():
        return True
    if before[1:] == "." and before[:1].isalnum():
        return True
    return (
        after == "::"
        or before == "::"
        or after == "()"
        or before in ("->", "$", "--")
        or token[max(0, start - 1) : start] in ("$", "\\", "@")
    )


_PLAIN = frozenset({"", " ", ",", ";", "!", "?", '"', "(", ")", "“", "”", "*", "，", "。", "、", "「", "」"})
_SPACED = bytes(code if chr(code).isalnum() else ord(" ") for code in range(128)) + bytes(128)
