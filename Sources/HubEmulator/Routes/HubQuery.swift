import Signing

/// What the queries of `/_emulator/...` and of the page have in common.
struct HubQuery: Sendable {
    /// By name in lower case.
    let hubs: [String: Hub]

    /// As it was set up; nil: the query names none.
    func hub(_ call: EmulatorRequest) throws(EmulatorError) -> Hub? {
        guard let name = text("hub", call) else { return nil }
        guard let hub = hubs[name.lowercased()] else { throw EmulatorError("there is no hub \(name)") }
        return hub
    }

    /// The one the query names, or the only one there is.
    func theHub(_ call: EmulatorRequest) throws(EmulatorError) -> Hub {
        if let hub = try hub(call) { return hub }
        guard hubs.count == 1, let hub = hubs.values.first else {
            throw EmulatorError("hub is missing: there are several")
        }
        return hub
    }

    func filter(_ call: EmulatorRequest) throws(EmulatorError) -> PhoneFilter {
        PhoneFilter(hub: try hub(call)?.name, tag: text("tag", call), text: text("text", call))
    }

    /// The value as a form means it, with `+` for a space; at most 1,000 characters. nil: it is not there, or blank.
    func text(_ name: String, _ call: EmulatorRequest) -> String? {
        for pair in call.rawQuery.dropFirst().split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count > 1, sides[0].lowercased() == name else { continue }
            let plain = sides[1].split(separator: "+", omittingEmptySubsequences: false).joined(separator: " ")
            let text = PercentEncoding.decode(plain[...]) ?? plain
            return text.allSatisfy(\.isWhitespace) ? nil : String(text.prefix(1_000))
        }
        return nil
    }

    /// - Throws: `EmulatorError` naming the range.
    func number(_ name: String, _ call: EmulatorRequest, default standard: Int, _ range: ClosedRange<Int>)
        throws(EmulatorError)
        -> Int
    {
        guard let text = call.parameter(name) else { return standard }
        guard let number = Int(text), range.contains(number) else {
            let most = range.upperBound == .max ? "or more" : "to \(range.upperBound)"
            throw EmulatorError("\(name) must be a whole number, \(range.lowerBound) \(most)")
        }
        return number
    }
}
