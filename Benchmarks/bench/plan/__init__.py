"""The parts of the group plan: each has a NAME, by which --side chooses it."""
