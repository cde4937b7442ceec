/// One flat JSON object whose values are all strings: the body of a template message, or a row's headers.
///
/// Keeps order and text as written: a value is spliced into a body byte for byte, escapes included, and is decoded only
/// on request. Comparison of names ignores case, as in templates and HTTP headers, so `Title` and `title` are one name.
/// Of a name that stands there more than once the last member counts, as PostgreSQL's functions for json have it: looking
/// for such names would cost every INSERT 4 µs (docs/enqueue.md), and what an INSERT takes must be sendable.
public struct StringObject: Sendable, Equatable {
    /// The place of a member in `bytes`, without quotation marks.
    struct Member: Equatable {
        var name: Range<Int>
        var value: Range<Int>
    }

    /// The text as given, UTF-8; written anew if a name stood there more than once.
    public let bytes: [UInt8]
    let members: [Member]

    /// - Throws: `StringObjectError` when it is not a JSON object, or a value is not a string.
    public init(_ text: String) throws(StringObjectError) {
        try self.init(Array(text.utf8))
    }

    /// - Parameter text: UTF-8.
    init(_ text: [UInt8]) throws(StringObjectError) {
        var scanner = JSONScanner(text)
        var members: [Member] = []
        do throws(JSONError) {
            try StringObject.read(&scanner, into: &members)
        } catch {
            throw StringObjectError(key: error.path.isEmpty ? nil : error.path, position: error.position, error.rule)
        }
        (bytes, self.members) = StringObject.withoutOverwritten(scanner.bytes, members)
    }

    /// - Parameter members: where they stand in `bytes`, which is what a `StringObjectWriter` wrote.
    init(written bytes: [UInt8], _ members: [Member]) {
        self.bytes = bytes
        self.members = members
    }

    /// `{}`.
    static let empty = StringObject(written: Array("{}".utf8), [])

    private static func read(_ scanner: inout JSONScanner, into members: inout [Member]) throws(JSONError) {
        try scanner.expectObject()
        _ = scanner.take(UInt8(ascii: "{"))
        if !scanner.take(UInt8(ascii: "}")) {
            members.reserveCapacity(4)
            repeat {
                let name = try scanner.name()
                guard let first = scanner.next(), first == UInt8(ascii: "\"") else {
                    var error = scanner.error(StringObject.refusal(of: scanner.next()), expected: "a string")
                    error.path = JSONText.decode(scanner.bytes[name])
                    throw error
                }
                members.append(Member(name: name, value: try scanner.string()))
            } while scanner.take(UInt8(ascii: ","))
            try scanner.expect(UInt8(ascii: "}"), "after a value", "a comma or }")
        }
        try scanner.expectEnd(of: "object")
    }

    private static func refusal(of first: UInt8?) -> String {
        switch first {
        case nil: "the value is missing"
        case UInt8(ascii: "{"): "the value is an object, only strings are allowed"
        case UInt8(ascii: "["): "the value is an array, only strings are allowed"
        case UInt8(ascii: "n"): "the value is null, only strings are allowed; leave the property out"
        case UInt8(ascii: "t"), UInt8(ascii: "f"): "the value is true or false, only strings are allowed"
        case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            "the value is a number, only strings are allowed; put it in quotation marks"
        default: "the value is not a JSON string"
        }
    }

    /// The text with the last member of each name only.
    private static func withoutOverwritten(_ text: [UInt8], _ members: [Member]) -> ([UInt8], [Member]) {
        guard MemberNames.firstDuplicate(in: text, members.map(\.name)) != nil else { return (text, members) }
        var seen: Set<[UInt8]> = []
        let last = members.reversed().filter { seen.insert(MemberNames.folded(text[$0.name])).inserted }
        var writer = StringObjectWriter(capacity: text.count)
        let kept = last.reversed().map { writer.append(raw: text[$0.name], value: text[$0.value]) }
        return (writer.finish(), kept)
    }
}

extension StringObject {
    /// - Throws: when a name has more characters than `limit`.
    func checkNameLengths(_ limit: Int) throws(StringObjectError) {
        // A character has at least one byte, so the number of bytes is enough for nearly every name.
        for index in members.indices where members[index].name.count > limit {
            let length = name(index).count
            guard length > limit else { continue }
            let position = bytes[..<members[index].name.lowerBound].count { $0 & 0xC0 != 0x80 }
            throw StringObjectError(
                key: name(index), position: position, "the name has \(length) characters, at most \(limit) are allowed")
        }
    }

    public var count: Int { members.count }

    /// The names in their order, decoded.
    public var names: [String] { members.indices.map(name) }

    /// The text of a member, decoded; comparison ignores case. nil: no such member.
    public subscript(name: String) -> String? {
        rawValue(named: name).map(JSONText.decode)
    }

    /// The members in their order, decoded.
    public var pairs: [(name: String, value: String)] { members.indices.map { (name($0), value($0)) } }

    func name(_ index: Int) -> String { JSONText.decode(rawName(index)) }
    func value(_ index: Int) -> String { JSONText.decode(rawValue(index)) }
    func rawName(_ index: Int) -> ArraySlice<UInt8> { bytes[members[index].name] }
    func foldedName(_ index: Int) -> [UInt8] { MemberNames.folded(rawName(index)) }
    func rawValue(_ index: Int) -> ArraySlice<UInt8> { bytes[members[index].value] }
}

/// Why a text is not a flat object of strings.
public struct StringObjectError: Error, Equatable, CustomStringConvertible {
    /// The name of the faulty member, decoded; nil when the fault is outside of members.
    public let key: String?
    /// The character of the text; the first is 1.
    public let position: Int
    /// The rule broken, in plain words. Never contains a value.
    public let rule: String

    init(key: String?, position: Int, _ rule: String) {
        self.key = key
        self.position = position
        self.rule = rule
    }

    public var description: String {
        (key.map { "key \($0.quoted), " } ?? "") + "character \(position): \(rule)"
    }
}
