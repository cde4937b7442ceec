import Signing

/// Reads the query parameters that `/_emulator/...` and the page share.
struct HubQuery: Sendable {
    /// By name in lower case.
    let hubs: [String: Hub]

    /// nil: the query has no hub.
    func hub(_ request: EmulatorRequest) throws(EmulatorError) -> Hub? {
        guard let name = text("hub", request) else { return nil }
        guard let hub = hubs[name.lowercased()] else { throw EmulatorError("there is no hub \(name)") }
        return hub
    }

    /// The hub in the query, or the only hub.
    func requiredHub(_ request: EmulatorRequest) throws(EmulatorError) -> Hub {
        if let hub = try hub(request) { return hub }
        guard hubs.count == 1, let hub = hubs.values.first else {
            throw EmulatorError("hub is missing: there are several")
        }
        return hub
    }

    func filter(_ request: EmulatorRequest) throws(EmulatorError) -> DeviceFilter {
        DeviceFilter(hub: try hub(request)?.name, tag: text("tag", request), text: text("text", request))
    }

    /// The value in form encoding, with `+` for a space; at most 1,000 characters. nil: absent or blank.
    func text(_ name: String, _ request: EmulatorRequest) -> String? {
        for pair in request.rawQuery.dropFirst().split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count > 1, sides[0].lowercased() == name else { continue }
            let plain = sides[1].split(separator: "+", omittingEmptySubsequences: false).joined(separator: " ")
            let text = PercentEncoding.decode(plain[...]) ?? plain
            return text.allSatisfy(\.isWhitespace) ? nil : String(text.prefix(1_000))
        }
        return nil
    }

    /// - Throws: `EmulatorError` naming the range.
    func number(_ name: String, _ request: EmulatorRequest, default defaultValue: Int, _ range: ClosedRange<Int>)
        throws(EmulatorError)
        -> Int
    {
        guard let text = request.parameter(name) else { return defaultValue }
        guard let number = Int(text), range.contains(number) else {
            let most = range.upperBound == .max ? "or more" : "to \(range.upperBound)"
            throw EmulatorError("\(name) must be a whole number, \(range.lowerBound) \(most)")
        }
        return number
    }
}
