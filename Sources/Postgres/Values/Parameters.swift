/// The values of one statement, in one buffer.
struct Parameters: Sendable {
    struct Entry: Sendable {
        let oid: UInt32
        let start: Int
        /// -1 for NULL.
        let length: Int
    }

    /// All values one after the other. One byte stands before the first, so that an empty value still has an address:
    /// libpq takes a null pointer for NULL.
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

    /// The number of the first parameter that PostgreSQL could not take (a message holds at most 1 GB), if there is one.
    var tooLarge: Int? {
        entries.firstIndex { $0.length >= 1 << 30 }.map { $0 + 1 }
    }

    /// Lends the arrays libpq wants. They are valid inside `body` only.
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
                    // A statement without values: libpq reads none of the three arrays, they only need to exist.
                    let lengths = UnsafePointer(numbers.baseAddress!)
                    return body(Int32(count), UnsafePointer(values.baseAddress!), lengths, lengths + count)
                }
            }
        }
    }
}
