/// One of the five fields of a cron line.
enum CronField: String, Sendable, CaseIterable {
    case minute, hour, day, month, weekday

    var range: ClosedRange<Int> {
        switch self {
        case .minute: 0...59
        case .hour: 0...23
        case .day: 1...31
        case .month: 1...12
        case .weekday: 0...7  // 0 and 7 are Sunday
        }
    }

    /// In lower case; the first one stands for `firstName`.
    var names: [String] {
        switch self {
        case .minute, .hour, .day: []
        case .month: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        case .weekday: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        }
    }

    private var firstName: Int { self == .month ? 1 : 0 }

    /// The numbers that a field names.
    ///
    /// - Throws: `CronLineError`, with what to write instead.
    func parse(_ text: Substring) throws(CronLineError) -> FieldSet {
        var set = FieldSet()
        for term in text.split(separator: ",", omittingEmptySubsequences: false) {
            try set.formUnion(self.term(term))
        }
        if self == .weekday, set.contains(7) {
            set.remove(7)
            set.insert(0)
        }
        return set
    }

    /// `*`, `5`, `1-5`, `mon-fri`, each but the second maybe with `/n`.
    private func term(_ term: Substring) throws(CronLineError) -> FieldSet {
        if let error = unsupported(term) { throw error }
        let parts = term.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let bounds = parts[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let numbers: ClosedRange<Int>
        if parts[0] == "*" {
            numbers = range
        } else if bounds.count == 2 {
            let first = try number(bounds[0], in: term)
            let last = try number(bounds[1], in: term)
            guard first <= last else { throw reversed(bounds, first, last) }
            numbers = first...last
        } else {
            let first = try number(bounds[0], in: term)
            numbers = first...first
        }
        guard parts.count == 2 else { return FieldSet(numbers, step: 1) }
        let step = try self.step(parts[1], in: term)
        guard parts[0] == "*" || bounds.count == 2 else {
            let top = self == .weekday ? 6 : range.upperBound
            throw CronLineError(
                self, "\(term): a step needs a range to go through",
                hint: "Write \(bounds[0])-\(top)/\(step), or */\(step).")
        }
        return FieldSet(numbers, step: step)
    }

    private func number(_ text: Substring, in term: Substring) throws(CronLineError) -> Int {
        if let index = names.firstIndex(of: text.lowercased()) { return index + firstName }
        guard let number = Self.digits(text) else { throw noNumber(text, in: term) }
        guard range.contains(number) else {
            throw CronLineError(
                self, "\(number) is out of range",
                hint:
                    "It goes from \(range.lowerBound) to \(range.upperBound)\(self == .weekday ? "; 0 and 7 are Sunday" : "")."
            )
        }
        return number
    }

    private func step(_ text: Substring, in term: Substring) throws(CronLineError) -> Int {
        guard let step = Self.digits(text), step > 0 else {
            throw CronLineError(self, "\(term): a step is a number from 1", hint: "Such as */15.")
        }
        return step
    }

    /// nil: not one to four digits.
    private static func digits(_ text: Substring) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}

extension CronField {
    /// What other schedulers know, with what says the same here, or nearly.
    private func unsupported(_ term: Substring) -> CronLineError? {
        let upper = term.uppercased()
        if term.contains("?") { return CronLineError(self, "? belongs to another cron", hint: "Write * instead.") }
        if term.contains("#") {
            return CronLineError(
                self, "\(term): the weekday of a certain week cannot be written",
                hint:
                    "Use a day of the month, such as 15, or start the run from another scheduler, with a key of your own."
            )
        }
        if self == .day, upper == "L" || upper == "LW" || upper.hasPrefix("L-") {
            return CronLineError(
                self, "\(term): the last day of a month cannot be written",
                hint: "Write 28, which every month has, or 1 for the day after the last one.")
        }
        if self == .day, upper.hasSuffix("W") {
            return CronLineError(
                self, "\(term): the nearest weekday cannot be written",
                hint: "Write the day, or * here and 1-5 as the weekday.")
        }
        if self == .weekday, upper.hasSuffix("L"), upper.dropLast().count <= 3 {
            return CronLineError(
                self, "\(term): the last weekday of a month cannot be written",
                hint: "Write a day of the month, such as 28, which every month has.")
        }
        if upper == "H" || upper.hasPrefix("H/") || upper.hasPrefix("H(") {
            return CronLineError(
                self, "\(term): H belongs to Jenkins",
                hint: "Write a number; the jitter of a campaign spreads its runs.")
        }
        return nil
    }

    private func noNumber(_ text: Substring, in term: Substring) -> CronLineError {
        if text.isEmpty { return CronLineError(self, "\"\(term)\" lacks a number", hint: nil) }
        // monday, september
        let short = text.lowercased().prefix(3)
        if names.contains(String(short)), text.utf8.count > 3, text.utf8.count <= 9 {
            return CronLineError(self, "\(text) is not known", hint: "Write \(short).")
        }
        let known =
            names.isEmpty
            ? "a number from \(range.lowerBound) to \(range.upperBound)"
            : "a number or \(names[0]) to \(names[names.count - 1])"
        return CronLineError(self, "\(text.prefix(40)) is not known", hint: "It is *, \(known), a list or a range.")
    }

    /// `22-2`, `fri-sun`: cron does not wrap around.
    private func reversed(_ bounds: [Substring], _ first: Int, _ last: Int) -> CronLineError {
        let bottom = range.lowerBound
        let top = self == .weekday ? 6 : range.upperBound
        let upper = first == top ? "\(bounds[0])" : "\(bounds[0])-\(top)"
        let lower = last == bottom ? "\(bounds[1])" : "\(bottom)-\(bounds[1])"
        return CronLineError(
            self, "\(bounds[0])-\(bounds[1]) wraps around", hint: "Write \(upper),\(lower).")
    }
}

/// Numbers from 0 to 63.
struct FieldSet: Sendable, Equatable {
    private(set) var bits: UInt64 = 0

    init() {}

    init(_ numbers: ClosedRange<Int>, step: Int) {
        for number in stride(from: numbers.lowerBound, through: numbers.upperBound, by: step) { insert(number) }
    }

    func contains(_ number: Int) -> Bool { bits >> UInt64(number) & 1 == 1 }
    mutating func insert(_ number: Int) { bits |= 1 << UInt64(number) }
    mutating func remove(_ number: Int) { bits &= ~(1 << UInt64(number)) }
    mutating func formUnion(_ other: Self) { bits |= other.bits }

    var count: Int { bits.nonzeroBitCount }
    var first: Int? { first(from: 0) }
    var numbers: [Int] { (0..<64).filter(contains) }

    /// The least number from `number` on.
    func first(from number: Int) -> Int? {
        guard number < 64 else { return nil }
        let rest = bits >> UInt64(number)
        return rest == 0 ? nil : number + rest.trailingZeroBitCount
    }
}
