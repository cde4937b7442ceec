/// How long the hub asks us to wait, in any form (docs/wire/notification-hubs.md, "Retry-After").
enum RetryAfter: Equatable {
    case absent
    /// The hub asks us to wait; nil: in a form that we do not understand.
    case given(seconds: Double?)

    /// Most seconds: an hour. One wrong date of a proxy must not close a hub for a day: after an hour one post shows
    /// whether it still throttles.
    static let longest = 3600.0

    /// Milliseconds take precedence, as in the JS SDK. A date counts from the answer's own `Date`, so that our clock
    /// does not matter, and from `receivedAt` only without one. A past time is 0.
    ///
    /// - Parameters:
    ///   - milliseconds: `retry-after-ms` and `x-ms-retry-after-ms`, those that are present.
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
        } else if let until = plain.flatMap({ HTTPDate.seconds($0, now: receivedAt) }) {
            let now = date.flatMap { HTTPDate.seconds($0, now: receivedAt) } ?? receivedAt
            self = .given(seconds: min(max(until - now, 0), Self.longest))
        } else {
            self = .given(seconds: nil)
        }
    }

    var seconds: Double? {
        if case .given(let seconds) = self { seconds } else { nil }
    }

    /// Digits with an optional fraction: no sign, no exponent, no `inf`.
    private static func number(_ text: String) -> Double? {
        let trimmed = text.filter { $0 != " " }
        guard trimmed.utf8.allSatisfy({ ($0 >= 48 && $0 <= 57) || $0 == UInt8(ascii: ".") }) else { return nil }
        return Double(trimmed)
    }
}
