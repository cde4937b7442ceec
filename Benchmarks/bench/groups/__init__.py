"""One file per group. Each has `ABOUT`, one line for --help; `TABLES`, the names of the tables it makes, which are the markers
in docs/performance.md or docs/measurements.md; and `run(bench) -> Iterable[Table]`, which raises Problem when a side did not
do what it is measured for. Tables it yielded before remain valid.
"""
