import Foundation

/// The JSON form: one flat object, for example
/// `{"hub": "news", "every": 10, "status": 429, "retryAfter": 2}`.
///
/// Which requests: `hub`, `operation` (a word or an array of words; default: every kind of send), `tag`. When: one of
/// `nth`, `every`, `next`, `probability` (with `seed`), `rate` (with `burst`); default: every request. `retryAfter`
/// (seconds), `retryAfterDate` (seconds from now, sent as a date), `retryAfterMs` (as `x-ms-retry-after-ms`) or
/// `retryAfterPlainMs` (as `retry-after-ms`). Unknown keys are refused: a misspelled fault that never strikes would let
/// a test pass wrongly.
extension Fault: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case hub, operation, tag, nth, every, next, probability, seed, rate, burst
        case status, errorCode, retryAfter, retryAfterDate, retryAfterMs, retryAfterPlainMs, html
        case delayMs, delayUpToMs, trickleMs, close, reset, taken, skewSeconds, rotated
        case streamCode, goAway, streams, ignorePings, endToken
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Reads one fault or an array of faults.
    ///
    /// - Throws: `EmulatorError` naming the wrong key, and the index in an array.
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
        let unknownKeys = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
            .filter { Key(rawValue: $0) == nil }.sorted()
        guard unknownKeys.isEmpty else {
            let known = Key.allCases.map(\.rawValue).joined(separator: ", ")
            throw EmulatorError("unknown key \(unknownKeys.joined(separator: ", ")); known: \(known)")
        }
        let keys = try decoder.container(keyedBy: Key.self)
        self.init(
            try Self.moment(in: keys),
            hub: try keys.decodeIfPresent(String.self, forKey: .hub),
            status: try keys.decodeIfPresent(Int.self, forKey: .status))
        retryAfter = try Self.retryAfter(in: keys)
        errorCode = try keys.decodeIfPresent(String.self, forKey: .errorCode)
        html = try keys.decodeIfPresent(Bool.self, forKey: .html) ?? false
        delayMilliseconds = try keys.decodeIfPresent(Int.self, forKey: .delayMs) ?? 0
        trickleMilliseconds = try keys.decodeIfPresent(Int.self, forKey: .trickleMs) ?? 0
        delayUpToMilliseconds = try keys.decodeIfPresent(Int.self, forKey: .delayUpToMs) ?? 0
        if keys.contains(.seed), !keys.contains(.probability) {
            guard delayUpToMilliseconds > 0 else { throw EmulatorError("seed needs probability or delayUpToMs") }
            seed = try keys.decode(UInt64.self, forKey: .seed)
        }
        operations = try Self.operations(in: keys)
        tag = try keys.decodeIfPresent(String.self, forKey: .tag)
        closing = try Self.word(.close, in: keys)
        skewSeconds = try keys.decodeIfPresent(Double.self, forKey: .skewSeconds) ?? 0
        rotated = try Self.word(.rotated, in: keys)
        if case .beyond = moment, closing?.isSilent == true, !keys.contains(.status) { status = nil }
        reset = try keys.decodeIfPresent(Bool.self, forKey: .reset) ?? false
        taken = try keys.decodeIfPresent(Bool.self, forKey: .taken) ?? false
        streamCode = try Self.word(.streamCode, in: keys)
        goAway = try keys.decodeIfPresent(String.self, forKey: .goAway)
        streams = try keys.decodeIfPresent(Int.self, forKey: .streams)
        ignoresPings = try keys.decodeIfPresent(Bool.self, forKey: .ignorePings) ?? false
        endsToken = try keys.decodeIfPresent(Bool.self, forKey: .endToken) ?? false
    }

    private static func moment(in keys: KeyedDecodingContainer<Key>) throws -> Moment {
        let given = [Key.nth, .every, .next, .probability, .rate].filter(keys.contains)
        guard given.count < 2 else {
            throw EmulatorError("only one of \(given.map(\.rawValue).joined(separator: ", ")) can be given")
        }
        if keys.contains(.burst) && given.first != .rate { throw EmulatorError("burst needs rate") }
        switch given.first {
        case .nth: return .nth(try keys.decode(Int.self, forKey: .nth))
        case .next: return .next(try keys.decode(Int.self, forKey: .next))
        case .probability:
            return .probability(
                try keys.decode(Double.self, forKey: .probability),
                seed: try keys.decodeIfPresent(UInt64.self, forKey: .seed) ?? 0)
        case .every: return .every(try keys.decode(Int.self, forKey: .every))
        case .rate:
            let rate = try keys.decode(Double.self, forKey: .rate)
            // The default burst is what one second allows.
            let defaultBurst = Int(min(max(rate.isNaN ? 1 : rate.rounded(.up), 1), 1_000_000))
            return .beyond(rate: rate, burst: try keys.decodeIfPresent(Int.self, forKey: .burst) ?? defaultBurst)
        default: return .every(1)
        }
    }

    private static func retryAfter(in keys: KeyedDecodingContainer<Key>) throws -> RetryAfter? {
        let given = [Key.retryAfter, .retryAfterDate, .retryAfterMs, .retryAfterPlainMs].filter(keys.contains)
        guard given.count < 2 else {
            throw EmulatorError("only one of \(given.map(\.rawValue).joined(separator: ", ")) can be given")
        }
        switch given.first {
        case .retryAfter: return .seconds(try keys.decode(Int.self, forKey: .retryAfter))
        case .retryAfterDate: return .date(inSeconds: try keys.decode(Int.self, forKey: .retryAfterDate))
        case .retryAfterMs: return .milliseconds(try keys.decode(Int.self, forKey: .retryAfterMs))
        case .retryAfterPlainMs:
            return .plainMilliseconds(try keys.decode(Int.self, forKey: .retryAfterPlainMs))
        default: return nil
        }
    }

    private static func operations(in keys: KeyedDecodingContainer<Key>) throws -> Set<Operation> {
        guard keys.contains(.operation) else { return [] }
        let words: [String]
        if let word = try? keys.decode(String.self, forKey: .operation) {
            words = [word]
        } else {
            words = try keys.decode([String].self, forKey: .operation)
        }
        guard !words.isEmpty else { throw EmulatorError("operation must not be empty") }
        return Set(try words.map { try known($0, .operation) })
    }

    private static func word<Word: RawRepresentable & CaseIterable>(
        _ key: Key, in keys: KeyedDecodingContainer<Key>
    ) throws -> Word? where Word.RawValue == String {
        guard let word = try keys.decodeIfPresent(String.self, forKey: key) else { return nil }
        return try known(word, key)
    }

    private static func known<Word: RawRepresentable & CaseIterable>(
        _ word: String, _ key: Key
    ) throws -> Word where Word.RawValue == String {
        guard let known = Word(rawValue: word) else {
            let words = Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw EmulatorError("\(key.rawValue) must be one of \(words)")
        }
        return known
    }

    public func encode(to encoder: any Encoder) throws {
        var keys = encoder.container(keyedBy: Key.self)
        try keys.encodeIfPresent(hub, forKey: .hub)
        if !operations.isEmpty { try keys.encode(operations.map(\.rawValue).sorted(), forKey: .operation) }
        try keys.encodeIfPresent(tag, forKey: .tag)
        switch moment {
        case .nth(let number): try keys.encode(number, forKey: .nth)
        case .every(let number): try keys.encode(number, forKey: .every)
        case .next(let number): try keys.encode(number, forKey: .next)
        case .probability(let probability, let seed):
            try keys.encode(probability, forKey: .probability)
            try keys.encode(seed, forKey: .seed)
        case .beyond(let rate, let burst):
            try keys.encode(rate, forKey: .rate)
            try keys.encode(burst, forKey: .burst)
        }
        try keys.encodeIfPresent(status, forKey: .status)
        switch retryAfter {
        case .seconds(let number): try keys.encode(number, forKey: .retryAfter)
        case .date(let number): try keys.encode(number, forKey: .retryAfterDate)
        case .milliseconds(let number): try keys.encode(number, forKey: .retryAfterMs)
        case .plainMilliseconds(let number): try keys.encode(number, forKey: .retryAfterPlainMs)
        case nil: break
        }
        try keys.encodeIfPresent(errorCode, forKey: .errorCode)
        if html { try keys.encode(true, forKey: .html) }
        if delayMilliseconds > 0 { try keys.encode(delayMilliseconds, forKey: .delayMs) }
        if delayUpToMilliseconds > 0 {
            try keys.encode(delayUpToMilliseconds, forKey: .delayUpToMs)
            if case .probability = moment {} else { try keys.encode(seed, forKey: .seed) }
        }
        if trickleMilliseconds > 0 { try keys.encode(trickleMilliseconds, forKey: .trickleMs) }
        try keys.encodeIfPresent(closing?.rawValue, forKey: .close)
        if reset { try keys.encode(true, forKey: .reset) }
        if taken { try keys.encode(true, forKey: .taken) }
        if skewSeconds != 0 { try keys.encode(skewSeconds, forKey: .skewSeconds) }
        try keys.encodeIfPresent(rotated?.rawValue, forKey: .rotated)
        try keys.encodeIfPresent(streamCode?.rawValue, forKey: .streamCode)
        try keys.encodeIfPresent(goAway, forKey: .goAway)
        try keys.encodeIfPresent(streams, forKey: .streams)
        if ignoresPings { try keys.encode(true, forKey: .ignorePings) }
        if endsToken { try keys.encode(true, forKey: .endToken) }
    }
}
