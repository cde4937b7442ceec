/// A short description of a fault for people.
extension Fault {
    /// `every 10th send`.
    public var momentText: String {
        let text =
            switch moment {
            case .nth(let number): "the \(Self.ordinal(number)) \(countedName)"
            case .every(1): "every \(countedName)"
            case .every(let number): "every \(Self.ordinal(number)) \(countedName)"
            case .next(1): "the next \(countedName)"
            case .next(let number): "the next \(number.grouped) \(countedName)s"
            case .probability(let probability, _): "\((probability * 1_000).rounded() / 10) % of the \(countedName)s"
            case .beyond(let rate, let burst):
                "every \(countedName) beyond \(Self.short(rate)) a second, \(burst.grouped) at once"
            }
        return tag.map { "\(text) to \($0)" } ?? text
    }

    /// What the fault counts.
    private var countedName: String {
        operations.isEmpty ? "send" : operations.map(\.rawValue).sorted().joined(separator: " or ") + " call"
    }

    /// `429, Retry-After 2 s`.
    public var effectText: String {
        var parts: [String] = []
        if delayUpToMilliseconds > 0 {
            parts.append("after \(delayMilliseconds.grouped) to \(delayUpToMilliseconds.grouped) ms")
        } else if delayMilliseconds > 0 {
            parts.append("after \(delayMilliseconds.grouped) ms")
        }
        if let status { parts.append("\(status)") }
        if let errorCode { parts.append(errorCode) }
        switch retryAfter {
        case .seconds(let number): parts.append("Retry-After \(number) s")
        case .date(let number): parts.append("Retry-After a date in \(number) s")
        case .milliseconds(let number): parts.append("x-ms-retry-after-ms \(number)")
        case .plainMilliseconds(let number): parts.append("retry-after-ms \(number)")
        case nil: break
        }
        if html { parts.append("a web page") }
        if trickleMilliseconds > 0 { parts.append("a byte every \(trickleMilliseconds) ms") }
        switch closing {
        case .beforeBody: parts.append("closed before the body")
        case .afterBody: parts.append("closed without a response")
        case .afterHead: parts.append("closed after the head of the response")
        case .midAnswer: parts.append("closed in the middle of the response")
        case .stream: parts.append("the stream reset with \((streamCode ?? .cancel).rawValue)")
        case .never: parts.append("never answered")
        case nil: break
        }
        if reset { parts.append("with RST") }
        if taken { parts.append("taken anyway") }
        if skewSeconds != 0 { parts.append("the clock is off by \(Self.short(skewSeconds)) s") }
        switch rotated {
        case .primary: parts.append("the primary keys were rotated")
        case .both: parts.append("all keys were rotated")
        case nil: break
        }
        if let goAway { parts.append("GOAWAY \(goAway)") }
        if let streams { parts.append("\(streams.grouped) streams at once") }
        if ignoresPings { parts.append("no PING answered") }
        if endsToken { parts.append("its token is ended") }
        return parts.joined(separator: ", ")
    }

    /// Without the fraction of a whole number.
    private static func short(_ number: Double) -> String {
        Int(exactly: number).map { "\($0)" } ?? "\(number)"
    }

    private static func ordinal(_ number: Int) -> String {
        let ending: String
        switch (number % 10, number % 100) {
        case (_, 11...13): ending = "th"
        case (1, _): ending = "st"
        case (2, _): ending = "nd"
        case (3, _): ending = "rd"
        default: ending = "th"
        }
        return number.grouped + ending
    }
}
