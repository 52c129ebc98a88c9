"""What the process that commands are forked from has in memory beside the program."""

from scoop.embedders import local

local._encoder().encode(["The first text takes two seconds."])
