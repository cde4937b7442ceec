"""Measures Fanfare against what else could be used, side by side. See Benchmarks/README.md."""
