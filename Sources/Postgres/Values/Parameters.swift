/// The values of one statement, in one buffer.
struct Parameters: Sendable {
    struct Entry: Sendable {
        let oid: UInt32
        let start: Int
        /// -1 for NULL.
        let length: Int
    }

    /// All values, one after the other, behind one spare byte: so even an empty value has an address. libpq reads a
    /// null pointer as NULL.
    private(set) var bytes: [UInt8] = []
    private(set) var entries: [Entry] = []

    mutating func append(_ value: some PostgresValue) {
        if bytes.isEmpty { bytes.append(0) }
        let start = bytes.count
        if value.isNull {
            entries.append(Entry(oid: type(of: value).oid, start: start, length: -1))
        } else {
            value.write(to: &bytes)
            entries.append(Entry(oid: type(of: value).oid, start: start, length: bytes.count - start))
        }
    }

    /// The number of the first parameter that is too large for PostgreSQL, whose messages hold at most 1 GB; nil: all
    /// fit.
    var tooLarge: Int? {
        entries.firstIndex { $0.length >= 1 << 30 }.map { $0 + 1 }
    }

    /// Lends the arrays that libpq wants. They are valid only inside `body`.
    func withPointers<T>(
        _ body: (
            _ count: Int32, _ values: UnsafePointer<UnsafePointer<CChar>?>, _ lengths: UnsafePointer<Int32>,
            _ formats: UnsafePointer<Int32>
        ) -> T
    ) -> T {
        let count = entries.count
        return bytes.withUnsafeBytes { buffer in
            withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { values in
                withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * count) { numbers in
                    for (index, entry) in entries.enumerated() {
                        let isNull = entry.length < 0
                        let address = isNull ? nil : buffer.baseAddress.map { $0 + entry.start }
                        values.initializeElement(at: index, to: address?.assumingMemoryBound(to: CChar.self))
                        numbers.initializeElement(at: index, to: isNull ? 0 : Int32(entry.length))
                        numbers.initializeElement(at: count + index, to: 1)  // binary
                    }
                    // Never nil, also without values: libpq then reads none of the three arrays.
                    let lengths = UnsafePointer(numbers.baseAddress!)
                    return body(Int32(count), UnsafePointer(values.baseAddress!), lengths, lengths + count)
                }
            }
        }
    }
}
