/// Counts the devices that a tag expression means, from the registrations of a hub. Pure.
///
/// A device has several registrations, and each of them has tags: one for itself and one for each of its templates. It
/// counts once, when one of them matches, however they are spread over pages.
public struct ReachCount: Sendable {
    public let expression: TagExpression
    /// Devices to look at, at most; nil: all.
    public let limit: Int?
    /// Devices that the expression means.
    public var devices: Int { matching.count }
    /// Devices that were looked at.
    public var of: Int { seen.count }
    /// Whether there was one more device than the limit allows.
    public private(set) var isFull = false
    /// Hashes: of ten million devices ids would need a gigabyte. That two of them have one hash happens once in a million
    /// counts, and costs one device.
    private var seen: Set<Int> = []
    private var matching: Set<Int> = []

    public init(_ expression: TagExpression, limit: Int?) {
        self.expression = expression
        self.limit = limit
    }

    /// Adds one registration.
    ///
    /// - Parameters:
    ///   - device: what all registrations of a device have in common.
    ///   - tags: those of this registration, in any case.
    /// - Returns: false: the device is one more than the limit, and nothing more is counted.
    @discardableResult
    public mutating func add(_ device: String, tags: [String]) -> Bool {
        var hasher = Hasher()
        // By bytes, as the hub compares ids: to Swift `é` equals `e` with U+0301.
        for byte in device.utf8 { hasher.combine(byte) }
        let hash = hasher.finalize()
        if !seen.contains(hash) {
            if let limit, seen.count >= limit {
                isFull = true
                return false
            }
            seen.insert(hash)
        }
        if !matching.contains(hash), expression.matches(folded: Set(tags.map { $0.lowercased() })) {
            matching.insert(hash)
        }
        return true
    }

    /// The only tag of the expression; nil: it has several, or a `!`. Of one tag a hub lists the registrations that have it.
    public var onlyTag: String? {
        if case .tag(let tag) = expression.root { tag.text } else { nil }
    }
}
