import Pages

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

    /// The value in form encoding; at most 1,000 characters. nil: absent or blank.
    func text(_ name: String, _ request: EmulatorRequest) -> String? {
        FormFields(request.rawQuery.dropFirst())[name].map { String($0.prefix(1_000)) }
    }

    /// - Throws: `EmulatorError` for a `status` that is neither `taken` nor `refused`.
    func sends(_ request: EmulatorRequest) throws(EmulatorError) -> SendFilter {
        var filter = SendFilter(text: text("find", request))
        if let status = text("status", request) {
            guard let fate = SendFilter.Fate(rawValue: status) else {
                throw EmulatorError("status must be taken or refused")
            }
            filter.fate = fate
        }
        return filter
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
