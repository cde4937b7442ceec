/// How long the hub asks us to wait, in any of the forms there are (notification-hubs.md section 4).
enum RetryAfter: Equatable {
    case absent
    /// Asked to wait; nil: in words nobody understands.
    case given(seconds: Double?)

    /// Seconds at most: a day. A slip of somebody's clock must not shut a hub for a year.
    static let longest = 86_400.0

    /// Milliseconds come first, as in the JS SDK. A date counts from the answer's own `Date`, so that our clock does not
    /// matter; only without one from `receivedAt`. A time that has passed is 0.
    ///
    /// - Parameters:
    ///   - milliseconds: `retry-after-ms` and `x-ms-retry-after-ms`, those there are.
    ///   - plain: `Retry-After`.
    ///   - date: `Date`.
    ///   - receivedAt: seconds since 1970, by our own clock.
    init(milliseconds: [String], plain: String?, date: String?, receivedAt: Double) {
        guard plain != nil || !milliseconds.isEmpty else {
            self = .absent
            return
        }
        if let wait = milliseconds.lazy.compactMap(Self.number).first {
            self = .given(seconds: min(wait / 1000, Self.longest))
        } else if let wait = plain.flatMap(Self.number) {
            self = .given(seconds: min(wait, Self.longest))
        } else if let until = plain.flatMap(HTTPDate.seconds) {
            let now = date.flatMap(HTTPDate.seconds) ?? receivedAt
            self = .given(seconds: min(max(until - now, 0), Self.longest))
        } else {
            self = .given(seconds: nil)
        }
    }

    var seconds: Double? {
        if case .given(let seconds) = self { seconds } else { nil }
    }

    /// Digits, with a fraction at most: no sign, no exponent, no `inf`.
    private static func number(_ text: String) -> Double? {
        let trimmed = text.filter { $0 != " " }
        guard trimmed.utf8.allSatisfy({ ($0 >= 48 && $0 <= 57) || $0 == UInt8(ascii: ".") }) else { return nil }
        return Double(trimmed)
    }
}
