"""Finding plugins: walk a package, one class with a `name` a file; outsiders join by entry point."""

import inspect
import pkgutil
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any


@cache
def discover(package: ModuleType) -> dict[str, type[Any]]:
    """The plugins of a package by name: its own, and those that installed packages offer under its name."""
    modules = [import_module(f"{package.__name__}.{found.name}") for found in pkgutil.iter_modules(package.__path__)]
    own = [plugin for module in modules for plugin in _plugins(module)]
    offered = [entry.load() for entry in entry_points(group=package.__name__)]
    return {plugin.name: plugin for plugin in own + offered}


def _plugins(module: ModuleType) -> list[type[Any]]:
    classes = [each for _, each in inspect.getmembers(module, inspect.isclass) if each.__module__ == module.__name__]
    return [each for each in classes if isinstance(vars(each).get("name"), str)]
