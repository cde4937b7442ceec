import Foundation

/// Numbers and times as people say them.
enum HumanFormat {
    /// `3 s`, `4 min`, `2 h 5 min`, `3 d 2 h`.
    static func duration(_ seconds: Double) -> String {
        let whole = Int(max(0, min(seconds, 1e12)))
        switch whole {
        case ..<60: return "\(whole) s"
        case ..<3600: return "\(whole / 60) min"
        case ..<86_400: return "\(whole / 3600) h \(whole % 3600 / 60) min"
        default: return "\(whole / 86_400) d \(whole % 86_400 / 3600) h"
        }
    }

    /// `62 µs`, `1.3 ms`, `42 ms`, `1.2 s`, `75 s`.
    static func moment(_ seconds: Double) -> String {
        guard seconds < 0.0009995 else { return DemoNumberFormat.time(milliseconds: seconds * 1e3) }
        return "\(Int((max(0, seconds) * 1e6).rounded())) µs"
    }

    /// `1 message`, `2 messages`.
    static func count(_ number: some BinaryInteger, _ thing: String) -> String {
        "\(number) \(thing)\(number == 1 ? "" : "s")"
    }

    /// ISO 8601 in UTC, to the second.
    static func time(secondsSince1970 seconds: Double) -> String {
        Date(timeIntervalSince1970: seconds).ISO8601Format()
    }
}
