import PushModel

/// Finds sends that the hubs took more than once, by a value that the sender made unique.
public struct DuplicateCheck: Sendable {
    enum Key: Sendable {
        /// The client's `TrackingId`.
        case tracking
        /// A property of a template send, whose name is case-insensitive; or a member of `message.data` of a send to FCM.
        case property(String)
    }

    public struct Repeated: Sendable, Equatable, Codable {
        public let value: String
        public let count: Int
        /// The first 100 journal numbers.
        public let numbers: [Int]
    }

    public struct Result: Sendable, Equatable, Codable {
        /// Taken sends that are still in the journal.
        public var taken: Int
        /// Distinct values.
        public var values: Int
        /// Taken sends without such a value, or whose body is no longer kept.
        public var without: Int
        /// Values that were taken more than once.
        public var repeatedValues: Int
        /// The first 1,000 of them, in the order of their first send.
        public var repeated: [Repeated]
        /// Every taken send has a value, and all values are distinct.
        public var isExactlyOnce: Bool
    }

    private struct Seen {
        var count = 0
        var numbers: [Int] = []
    }

    private let key: Key
    private var taken = 0
    private var without = 0
    private var seen: [String: Seen] = [:]

    init(_ key: Key) { self.key = key }

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
        switch key {
        case .tracking: return entry.clientTracking
        case .property(let name):
            guard let body = entry.body else { return nil }
            if let object = try? StringObject(body) {
                return object.pairs.first { $0.name.lowercased() == name.lowercased() }?.value
            }
            // Any other send in a platform's own format has no properties; it is counted in `without`.
            guard let root = (try? JSONNode(Array(body.utf8)))?.value,
                case .string(let value) = root["message"]?["data"]?[name]
            else { return nil }
            return value
        }
    }
}
