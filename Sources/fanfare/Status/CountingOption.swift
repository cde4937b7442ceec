import ArgumentParser

/// `--exact`, for commands that show how much is pending.
struct CountingOption: ParsableArguments {
    @Flag(
        name: .customLong("exact"),
        help: ArgumentHelp(
            "Count everything that is pending and in doubt. Takes a second for each half million.",
            discussion: "Without it a count stops at 10,000, or earlier where many are that full: 10,000+."))
    var isExact = false
}
