import ArgumentParser

/// What every command takes that shows something.
struct JSONOption: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print one JSON document instead of text for people.")
    var isOn = false
}
