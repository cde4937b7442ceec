"""The tables of the group `campaign`."""
