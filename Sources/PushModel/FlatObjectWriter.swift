/// Writes one flat JSON object of strings, member by member, into bytes.
public struct FlatObjectWriter: Sendable {
    private var bytes: [UInt8]
    private var isEmpty = true

    /// - Parameter capacity: bytes to set aside; more are taken when needed.
    public init(capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
        bytes.append(UInt8(ascii: "{"))
    }

    /// Appends a member; both texts are escaped.
    public mutating func append(_ name: String, _ value: String) {
        open()
        JSONText.append(name, to: &bytes)
        bytes.append(contentsOf: "\":\"".utf8)
        JSONText.append(value, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a member whose parts are escaped already; the name is given in up to three pieces.
    mutating func append(
        raw name: ArraySlice<UInt8>, prefix: [UInt8] = [], suffix: [UInt8] = [], value: ArraySlice<UInt8>
    ) {
        open()
        bytes.append(contentsOf: prefix)
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: suffix)
        bytes.append(contentsOf: "\":\"".utf8)
        bytes.append(contentsOf: value)
        bytes.append(UInt8(ascii: "\""))
    }

    /// The whole object, UTF-8.
    public consuming func finish() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    private mutating func open() {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
        bytes.append(UInt8(ascii: "\""))
    }
}
