"""What the process that commands are forked from has in memory: the encoder, and every module of the program.

Commands import most modules when they run; a command that is forked without them takes 1.3 s of processor time longer.
"""

import gc
from importlib import import_module
from pkgutil import walk_packages

import scoop
from scoop.embedders import local

for module in walk_packages(scoop.__path__, "scoop."):
    if not module.name.endswith((".__main__", ".embedded_reaper")):
        import_module(module.name)

local._encoder().encode(["The first text takes two seconds."])
gc.freeze()  # a child that looks for garbage would copy all of this
