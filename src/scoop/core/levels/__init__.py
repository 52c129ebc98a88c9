"""Reading levels of English texts: `measure.measure()` gives the level, `check.check()` the rules a lesson breaks."""
