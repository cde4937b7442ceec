/// How far the emulator's clock is ahead, for the banner of all pages.
struct ClockView: Sendable, Equatable {
    let isClockMoved: Bool
    /// Whole seconds.
    let clockSeconds: Int
    /// `1 day 2 hours`.
    let clockAhead: String

    /// - Parameter advanced: seconds.
    init(advanced: Double) {
        isClockMoved = advanced > 0
        clockSeconds = Int(advanced)
        clockAhead = Self.words(Int(advanced))
    }

    /// The two largest units.
    static func words(_ seconds: Int) -> String {
        var rest = seconds
        var parts: [String] = []
        for (unit, length) in [("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1)] {
            let number = rest / length
            rest %= length
            if number > 0 { parts.append("\(number.grouped) \(unit)\(number == 1 ? "" : "s")") }
        }
        return parts.isEmpty ? "less than a second" : parts.prefix(2).joined(separator: " ")
    }
}
