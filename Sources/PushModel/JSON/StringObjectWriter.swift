/// Writes one flat JSON object of strings, member by member, into bytes.
public struct StringObjectWriter: Sendable {
    private var bytes: [UInt8]
    /// Where each name stands, without quotation marks.
    private var names: [Range<Int>] = []

    /// - Parameter capacity: bytes to reserve; the buffer grows when needed.
    public init(capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
        bytes.append(UInt8(ascii: "{"))
    }

    /// Appends a member; both texts are escaped.
    public mutating func append(_ name: String, _ value: String) {
        let start = open()
        JSONText.append(name, to: &bytes)
        names.append(start..<bytes.count)
        bytes.append(contentsOf: "\":\"".utf8)
        JSONText.append(value, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a member whose parts are already escaped; the name comes in three pieces.
    ///
    /// - Returns: where it stands in what `finish` returns.
    @discardableResult
    mutating func append(
        raw name: ArraySlice<UInt8>, prefix: [UInt8] = [], suffix: [UInt8] = [], value: ArraySlice<UInt8>
    ) -> StringObject.Member {
        let start = open()
        bytes.append(contentsOf: prefix)
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: suffix)
        let place = start..<bytes.count
        names.append(place)
        bytes.append(contentsOf: "\":\"".utf8)
        let valueStart = bytes.count
        bytes.append(contentsOf: value)
        bytes.append(UInt8(ascii: "\""))
        return StringObject.Member(name: place, value: valueStart..<bytes.count - 1)
    }

    /// The whole object, UTF-8.
    public consuming func finish() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// The first name that equals an earlier one, decoded; comparison ignores case.
    var firstDuplicate: String? {
        MemberNames.firstDuplicate(in: bytes, names).map { JSONText.decode(bytes[names[$0]]) }
    }

    /// Begins a member and returns the start of its name.
    private mutating func open() -> Int {
        if !names.isEmpty { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        return bytes.count
    }
}
