extension Fault {
    /// - Throws: `EmulatorError` naming the key that is out of range or contradicts another one.
    public func check() throws(EmulatorError) {
        try checkMoment()
        if let status { try Self.check("status", status, 200...599) }
        switch retryAfter {
        case .seconds(let number): try Self.check("retryAfter", number, 0...86_400)
        case .date(let number): try Self.check("retryAfterDate", number, -86_400...86_400)
        case .milliseconds(let number): try Self.check("retryAfterMs", number, 0...86_400_000)
        case .plainMilliseconds(let number): try Self.check("retryAfterPlainMs", number, 0...86_400_000)
        case nil: break
        }
        try Self.check("delayMs", delayMilliseconds, 0...600_000)
        if delayUpToMilliseconds != 0 {
            try Self.check("delayUpToMs", delayUpToMilliseconds, 1...600_000)
            if delayUpToMilliseconds < delayMilliseconds {
                throw EmulatorError("delayUpToMs must not be below delayMs")
            }
        }
        try Self.check("trickleMs", trickleMilliseconds, 0...60_000)
        let decade = 315_360_000.0
        guard (-decade...decade).contains(skewSeconds) else {
            throw EmulatorError("skewSeconds must be -315360000 to 315360000")
        }
        if let tag, tag.isEmpty { throw EmulatorError("tag must not be empty") }
        try checkOutcome()
    }

    private func checkMoment() throws(EmulatorError) {
        switch moment {
        case .nth(let number): try Self.check("nth", number, 1...Int.max)
        case .every(let number): try Self.check("every", number, 1...Int.max)
        case .next(let number): try Self.check("next", number, 1...Int.max)
        case .probability(let probability, _):
            guard (0...1).contains(probability) else { throw EmulatorError("probability must be 0 to 1") }
        case .beyond(let rate, let burst):
            guard (0.001...1_000_000).contains(rate) else { throw EmulatorError("rate must be 0.001 to 1000000") }
            try Self.check("burst", burst, 1...1_000_000)
            guard replacesAnswer else { throw EmulatorError("rate needs a status or a close") }
        }
    }

    private func checkOutcome() throws(EmulatorError) {
        if status == nil {
            if retryAfter != nil { throw EmulatorError("retryAfter needs a status") }
            if errorCode != nil { throw EmulatorError("errorCode needs a status") }
            if html { throw EmulatorError("html needs a status") }
            if trickleMilliseconds > 0 { throw EmulatorError("trickleMs needs a status") }
            if let closing, !closing.isSilent {
                throw EmulatorError("close \"\(closing.rawValue)\" needs a status")
            }
            if !touchesAnswer && !hasEffects {
                throw EmulatorError(
                    "a fault needs one of status, delayMs, close, skewSeconds, rotated, goAway, streams, ignorePings, endToken"
                )
            }
            if taken && closing == nil { throw EmulatorError("taken needs a status or a close") }
        } else if let closing, closing.isSilent {
            throw EmulatorError("close \"\(closing.rawValue)\" does not go with a status: nothing is answered")
        }
        if taken && closing == .beforeBody {
            throw EmulatorError("taken does not go with close \"before-body\": the hub has read nothing")
        }
        if reset && closing == nil { throw EmulatorError("reset needs a close") }
        if reset, closing == .stream || closing == .never {
            throw EmulatorError(
                "reset does not go with close \"\(closing?.rawValue ?? "")\": the connection stays open")
        }
        if streamCode != nil && closing != .stream { throw EmulatorError("streamCode needs close \"stream\"") }
        if let streams { try Self.check("streams", streams, 0...Int(Int32.max)) }
        if let goAway, !Self.isPlain(goAway) {
            throw EmulatorError("goAway has 1 to 100 letters and digits, such as Shutdown")
        }
        if endsToken, !operations.isSubset(of: [.apns]) {
            throw EmulatorError("endToken goes with operation apns alone")
        }
    }

    private static func isPlain(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count) && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    private static func check(_ key: String, _ number: Int, _ range: ClosedRange<Int>) throws(EmulatorError) {
        guard !range.contains(number) else { return }
        let most = range.upperBound == .max ? "or more" : "to \(range.upperBound)"
        throw EmulatorError("\(key) must be \(range.lowerBound) \(most)")
    }
}
