"""Finding plugins: walk a package, one class a file; outsiders join by entry point."""

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
    classes = inspect.getmembers(module, inspect.isclass)
    return [plugin for _, plugin in classes if plugin.__module__ == module.__name__ and hasattr(plugin, "fetch")]
