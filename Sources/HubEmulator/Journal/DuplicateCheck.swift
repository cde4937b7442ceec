import PushModel

/// Was anything taken more than once? Counts the sends the hubs took by something the sender made unique.
public struct DuplicateCheck: Sendable {
    enum Mark: Sendable {
        /// The `TrackingId` the client sent.
        case tracking
        /// A property of the template send, its name compared without case.
        case property(String)
    }

    public struct Repeated: Sendable, Equatable, Codable {
        public let value: String
        public let count: Int
        /// Journal numbers, the first 100 of them.
        public let numbers: [Int]
    }

    public struct Result: Sendable, Equatable, Codable {
        /// Sends that were taken and are still in the journal.
        public var taken: Int
        /// Different values among them.
        public var values: Int
        /// Taken ones that have no such value, or whose body is kept no more.
        public var without: Int
        /// How many values were taken more than once, and the first 1,000 of them in the order they came first.
        public var repeatedValues: Int
        public var repeated: [Repeated]
        /// Every send that was taken has a value, and no value came twice.
        public var isExactlyOnce: Bool
    }

    private struct Seen {
        var count = 0
        var numbers: [Int] = []
    }

    private let mark: Mark
    private var taken = 0
    private var without = 0
    private var seen: [String: Seen] = [:]

    init(_ mark: Mark) { self.mark = mark }

    mutating func add(_ entry: JournalEntry) {
        guard entry.taken else { return }
        taken += 1
        guard let value = value(of: entry) else {
            without += 1
            return
        }
        seen[value, default: Seen()].count += 1
        if seen[value]?.numbers.count ?? 0 < 100 { seen[value]?.numbers.append(entry.number) }
    }

    var result: Result {
        let repeated = seen.filter { $0.value.count > 1 }
            .sorted { ($0.value.numbers.first ?? 0) < ($1.value.numbers.first ?? 0) }
        return Result(
            taken: taken, values: seen.count, without: without, repeatedValues: repeated.count,
            repeated: repeated.prefix(1_000).map {
                Repeated(value: $0.key, count: $0.value.count, numbers: $0.value.numbers)
            },
            isExactlyOnce: without == 0 && repeated.isEmpty)
    }

    private func value(of entry: JournalEntry) -> String? {
        switch mark {
        case .tracking: return entry.clientTracking
        case .property(let name):
            // A send in a platform's own format has no properties: then there is no value, which is counted.
            guard let body = entry.body, let object = try? StringObject(body) else { return nil }
            return object.pairs.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }
}
