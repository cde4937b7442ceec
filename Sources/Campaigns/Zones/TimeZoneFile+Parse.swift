/// Why bytes cannot be read as a time zone file.
public enum TimeZoneFileError: Error, Sendable, Equatable, CustomStringConvertible {
    case notTZif
    case cutShort
    /// The files of `right/`: their seconds since 1970 count leap seconds, which Unix time does not.
    case leapSeconds
    /// What is wrong in the file.
    case broken(String)

    public var description: String {
        switch self {
        case .notTZif: "is not a time zone file"
        case .cutShort: "is cut short"
        case .leapSeconds: "counts leap seconds, which Unix time does not"
        case .broken(let what): "is broken: \(what)"
        }
    }
}

extension TimeZoneFile {
    /// Bytes a file may have. The largest of tzdata 2025b has 3.5 kB.
    static let largest = 262_144

    /// Reads a file of version 1 to 4, or a later one, which has to be readable as version 4.
    ///
    /// - Throws: `TimeZoneFileError`. No file makes it read beyond its end, or take more memory than a few times its size.
    public init(_ bytes: [UInt8]) throws(TimeZoneFileError) {
        var reader = TZifReader(rest: bytes[...])
        var header = try reader.header()
        if header.version >= UInt8(ascii: "2") {
            // For readers that know 32 bits only.
            try reader.skip(header.size(timeBytes: 4))
            header = try reader.header()
            self = try reader.block(header, timeBytes: 8)
            rule = try reader.footer()
        } else {
            self = try reader.block(header, timeBytes: 4)
        }
    }
}

/// Takes a file apart from its beginning. Numbers are big-endian.
private struct TZifReader {
    struct Header {
        var version: UInt8
        var utcIndicators, standardIndicators, leaps, changes, kinds, characters: Int

        func size(timeBytes: Int) -> Int {
            changes * (timeBytes + 1) + kinds * 6 + characters + leaps * (timeBytes + 4) + standardIndicators
                + utcIndicators
        }
    }

    var rest: ArraySlice<UInt8>

    mutating func take(_ count: Int) throws(TimeZoneFileError) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw .cutShort }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func skip(_ count: Int) throws(TimeZoneFileError) { _ = try take(count) }

    mutating func header() throws(TimeZoneFileError) -> Header {
        guard rest.starts(with: "TZif".utf8) else { throw .notTZif }
        let head = Array(try take(20))
        var counts: [Int] = []
        for _ in 0..<6 { counts.append(Int(Self.number(try take(4)) & 0xFFFF_FFFF)) }
        return Header(
            version: head[4], utcIndicators: counts[0], standardIndicators: counts[1], leaps: counts[2],
            changes: counts[3], kinds: counts[4], characters: counts[5])
    }

    mutating func block(_ header: Header, timeBytes: Int) throws(TimeZoneFileError) -> TimeZoneFile {
        guard header.size(timeBytes: timeBytes) <= rest.count else { throw .cutShort }
        guard header.leaps == 0 else { throw .leapSeconds }
        guard (1...256).contains(header.kinds) else { throw .broken("it has \(header.kinds) kinds of time") }
        var times: [Int] = []
        for _ in 0..<header.changes {
            let all = ZonePeriod.instants
            times.append(min(max(Self.number(try take(timeBytes)), all.lowerBound), all.upperBound))
        }
        guard zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw .broken("its changes are not in ascending order")
        }
        let indices = Array(try take(header.changes))
        guard indices.allSatisfy({ $0 < header.kinds }) else {
            throw .broken("a change names a kind of time that the file lacks")
        }
        var found: [(offset: Int, isDaylight: Bool, name: Int)] = []
        for _ in 0..<header.kinds {
            let offset = Self.number(try take(4))
            let flags = Array(try take(2))
            guard abs(offset) < 26 * 3_600, flags[0] <= 1, flags[1] < header.characters else {
                throw .broken("a kind of time is out of range")
            }
            found.append((offset, flags[0] == 1, Int(flags[1])))
        }
        let names = Array(try take(header.characters))
        let kinds = found.map { kind in
            LocalTimeType(
                offset: kind.offset, isDaylight: kind.isDaylight,
                abbreviation: String(decoding: names[kind.name...].prefix { $0 != 0 }, as: UTF8.self))
        }
        try skip(header.standardIndicators + header.utcIndicators)
        return TimeZoneFile(changes: Array(zip(times, indices).map { (at: $0, kind: $1) }), kinds: kinds, rule: nil)
    }

    /// A line between two line ends. An empty one: nothing is known about the time after the last change.
    mutating func footer() throws(TimeZoneFileError) -> ZoneRule? {
        guard rest.first == UInt8(ascii: "\n"), let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\n")) else {
            throw .cutShort
        }
        let text = rest[(rest.startIndex + 1)..<end]
        if text.isEmpty { return nil }
        guard let rule = ZoneRuleParser.parse(text) else {
            throw .broken("its last line is \(String(decoding: text.prefix(60), as: UTF8.self))")
        }
        return rule
    }

    /// Two's complement of 4 or 8 bytes.
    static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        let raw = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return bytes.count == 4 ? Int(Int32(truncatingIfNeeded: raw)) : Int(Int64(bitPattern: raw))
    }
}
