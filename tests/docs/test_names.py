"""The rules of docs/style.md that a program can check."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parents[2]
PACKAGE = PROJECT / "src" / "scoop"
TREES = [PROJECT / "src", PROJECT / "docs"]
TEXTS = {".py", ".sql", ".html", ".js", ".css", ".md", ".toml", ".txt", ".xml"}
BANNED = re.compile(r"\b(told|whoever|whom|anew)\b", re.IGNORECASE)
FROZEN = PACKAGE / "store" / "migrations"  # applied migrations keep their bytes: a checksum guards them
FICTION = PACKAGE / "newsstand" / "world"
WORDS = {
    PACKAGE / "core" / each for each in ("support/words.toml", "function_words.toml")
}  # of English, not of this project
SCHEMA = PROJECT / "docs" / "reference" / "schema.md"  # has the comments of applied migrations
STORED = re.compile(r"digest\.told|\btold_before\b|\btold ->|, told\b|[\"'`]told[\"'`]")  # stored
SHARED_CLASS_NAMES = {"Options"}  # every plugin nests its own
MOST_PACKAGES = 3


def modules() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path, ast.parse(path.read_text("utf-8"))


def test_a_class_name_stands_for_one_thing():
    places = defaultdict(list)
    for path, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name not in SHARED_CLASS_NAMES:
                places[node.name].append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_a_module_name_in_many_packages_is_a_noun_of_the_glossary():
    glossary = (PROJECT / "docs" / "glossary.md").read_text("utf-8").lower()
    nouns = {noun for entry in re.findall(r"\*\*([a-z _-]+)\*\*", glossary) for noun in (entry, plural(entry))}
    packages = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        if path.name != "__init__.py":
            packages[path.stem].add(path.parent)
    assert {name for name, places in packages.items() if len(places) > MOST_PACKAGES} <= nouns


def plural(noun: str) -> str:
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def test_banned_words_are_not_used():
    lines = [
        f"{path.relative_to(PROJECT)}:{number}: {line.strip()[:100]}"
        for path in [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *files()]
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if BANNED.search(STORED.sub("", line))
    ]
    assert lines == []


def files() -> Iterator[Path]:
    for tree in TREES:
        yield from (path for path in sorted(tree.rglob("*")) if path.suffix in TEXTS and not is_frozen(path))


def is_frozen(path: Path) -> bool:
    return (path.suffix == ".sql" and path.parent == FROZEN) or FICTION in path.parents or path in {SCHEMA, *WORDS}


def test_the_package_has_few_modules_at_its_top():
    assert len([path for path in PACKAGE.glob("*.py") if not path.name.startswith("__")]) <= 15


def test_a_function_fits_on_a_screen():
    too_long = [
        f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}"
        for path, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno - node.lineno >= 60
    ]
    assert too_long == []
