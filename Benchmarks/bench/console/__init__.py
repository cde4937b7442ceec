"""The parts of the group console: each has a NAME, by which --side chooses it."""
