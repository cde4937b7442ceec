"""Measures Fanfare beside its alternatives. See Benchmarks/README.md."""
