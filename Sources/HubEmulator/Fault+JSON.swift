import Foundation

/// The JSON form: one flat object, for example
/// `{"hub": "news", "every": 10, "status": 429, "retryAfter": 2}`.
///
/// Moment: one of `nth`, `every`, `next`, `probability` (with `seed`); none: every send. `retryAfter` (seconds),
/// `retryAfterDate` (seconds from now, written as a date) or `retryAfterMs`. Keys nobody knows are refused: a misspelt
/// fault that never strikes makes a test pass that should not.
extension Fault: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case hub, nth, every, next, probability, seed, status, retryAfter, retryAfterDate, retryAfterMs, html
        case delayMs, trickleMs, close, reset, taken
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// One fault, or an array of them.
    ///
    /// - Throws: `EmulatorError` saying which key is wrong, and in which of several faults.
    public static func list(json: [UInt8]) throws(EmulatorError) -> [Fault] {
        let isArray = json.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "[")
        let faults: [Fault]
        do {
            let data = Data(json)
            faults =
                isArray
                ? try JSONDecoder().decode([Fault].self, from: data)
                : [try JSONDecoder().decode(Fault.self, from: data)]
        } catch let error as DecodingError {
            throw EmulatorError(error.inOneLine)
        } catch let error as EmulatorError {
            throw error
        } catch {
            throw EmulatorError("not JSON")
        }
        for (index, fault) in faults.enumerated() {
            do {
                try fault.check()
            } catch {
                throw isArray ? EmulatorError("[\(index)]: \(error.description)") : error
            }
        }
        return faults
    }

    public init(from decoder: any Decoder) throws {
        let strangers = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
            .filter { Key(rawValue: $0) == nil }.sorted()
        guard strangers.isEmpty else {
            let known = Key.allCases.map(\.rawValue).joined(separator: ", ")
            throw EmulatorError("unknown key \(strangers.joined(separator: ", ")); known: \(known)")
        }
        let keys = try decoder.container(keyedBy: Key.self)
        self.init(
            try Self.moment(in: keys),
            hub: try keys.decodeIfPresent(String.self, forKey: .hub),
            status: try keys.decodeIfPresent(Int.self, forKey: .status))
        retryAfter = try Self.retryAfter(in: keys)
        html = try keys.decodeIfPresent(Bool.self, forKey: .html) ?? false
        delayMilliseconds = try keys.decodeIfPresent(Int.self, forKey: .delayMs) ?? 0
        trickleMilliseconds = try keys.decodeIfPresent(Int.self, forKey: .trickleMs) ?? 0
        if let word = try keys.decodeIfPresent(String.self, forKey: .close) {
            guard let known = Closing(rawValue: word) else {
                let words = Closing.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
                throw EmulatorError("close must be one of \(words)")
            }
            closing = known
        }
        reset = try keys.decodeIfPresent(Bool.self, forKey: .reset) ?? false
        taken = try keys.decodeIfPresent(Bool.self, forKey: .taken) ?? false
    }

    private static func moment(in keys: KeyedDecodingContainer<Key>) throws -> Moment {
        let given = [Key.nth, .every, .next, .probability].filter(keys.contains)
        guard given.count < 2 else {
            throw EmulatorError("only one of \(given.map(\.rawValue).joined(separator: ", ")) can be given")
        }
        if keys.contains(.seed) && given.first != .probability { throw EmulatorError("seed needs probability") }
        switch given.first {
        case .nth: return .nth(try keys.decode(Int.self, forKey: .nth))
        case .next: return .next(try keys.decode(Int.self, forKey: .next))
        case .probability:
            return .probability(
                try keys.decode(Double.self, forKey: .probability),
                seed: try keys.decodeIfPresent(UInt64.self, forKey: .seed) ?? 0)
        case .every: return .every(try keys.decode(Int.self, forKey: .every))
        default: return .every(1)
        }
    }

    private static func retryAfter(in keys: KeyedDecodingContainer<Key>) throws -> RetryAfter? {
        let given = [Key.retryAfter, .retryAfterDate, .retryAfterMs].filter(keys.contains)
        guard given.count < 2 else {
            throw EmulatorError("only one of \(given.map(\.rawValue).joined(separator: ", ")) can be given")
        }
        switch given.first {
        case .retryAfter: return .seconds(try keys.decode(Int.self, forKey: .retryAfter))
        case .retryAfterDate: return .date(inSeconds: try keys.decode(Int.self, forKey: .retryAfterDate))
        case .retryAfterMs: return .milliseconds(try keys.decode(Int.self, forKey: .retryAfterMs))
        default: return nil
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var keys = encoder.container(keyedBy: Key.self)
        try keys.encodeIfPresent(hub, forKey: .hub)
        switch moment {
        case .nth(let number): try keys.encode(number, forKey: .nth)
        case .every(let number): try keys.encode(number, forKey: .every)
        case .next(let number): try keys.encode(number, forKey: .next)
        case .probability(let probability, let seed):
            try keys.encode(probability, forKey: .probability)
            try keys.encode(seed, forKey: .seed)
        }
        try keys.encodeIfPresent(status, forKey: .status)
        switch retryAfter {
        case .seconds(let number): try keys.encode(number, forKey: .retryAfter)
        case .date(let number): try keys.encode(number, forKey: .retryAfterDate)
        case .milliseconds(let number): try keys.encode(number, forKey: .retryAfterMs)
        case nil: break
        }
        if html { try keys.encode(true, forKey: .html) }
        if delayMilliseconds > 0 { try keys.encode(delayMilliseconds, forKey: .delayMs) }
        if trickleMilliseconds > 0 { try keys.encode(trickleMilliseconds, forKey: .trickleMs) }
        try keys.encodeIfPresent(closing?.rawValue, forKey: .close)
        if reset { try keys.encode(true, forKey: .reset) }
        if taken { try keys.encode(true, forKey: .taken) }
    }
}
