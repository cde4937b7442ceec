// PostgreSQL's binary form of an array: number of dimensions, whether it has nulls, type of an element; for the one
// dimension its length and its lower bound 1; then every element behind its length, -1 for NULL. An empty array has no
// dimension. All numbers are four bytes in network order.

extension [UInt8] {
    mutating func appendArrayHeader(of type: UInt32, count: Int, hasNulls: Bool) {
        appendBigEndian(Int32(count == 0 ? 0 : 1))
        appendBigEndian(Int32(hasNulls ? 1 : 0))
        appendBigEndian(type)
        if count > 0 {
            // With more than 2^31 elements the parameter is refused as too large before it is sent; likewise below.
            appendBigEndian(Int32(truncatingIfNeeded: count))
            appendBigEndian(Int32(1))
        }
    }

    mutating func appendElement(_ element: some PostgresValue) {
        if element.isNull { return appendBigEndian(Int32(-1)) }
        let start = count
        appendBigEndian(Int32(0))
        element.write(to: &self)
        let length = Int32(truncatingIfNeeded: count - start - 4)
        withUnsafeMutableBytes { $0.storeBytes(of: length.bigEndian, toByteOffset: start, as: Int32.self) }
    }

    /// Appends an array whose elements all have the size of `Stored`: allocates once, then fills.
    @inline(__always)
    mutating func appendArray<Value, Stored: FixedWidthInteger>(
        of type: UInt32, _ elements: [Value], _ stored: (Value) -> Stored
    ) {
        let size = MemoryLayout<Stored>.size
        let room = elements.count * (4 + size)
        reserve(20 + room)
        appendArrayHeader(of: type, count: elements.count, hasNulls: false)
        var place = count
        append(contentsOf: repeatElement(0, count: room))
        withUnsafeMutableBytes { bytes in
            for element in elements {
                bytes.storeBytes(of: Int32(size).bigEndian, toByteOffset: place, as: Int32.self)
                bytes.storeBytes(of: stored(element).bigEndian, toByteOffset: place + 4, as: Stored.self)
                place += 4 + size
            }
        }
    }

    /// Reserves `size` more bytes, at least doubling the capacity: many parameters must not mean many copies.
    mutating func reserve(_ size: Int) {
        if capacity - count < size { reserveCapacity(Swift.max(count + size, 2 * count)) }
    }
}
