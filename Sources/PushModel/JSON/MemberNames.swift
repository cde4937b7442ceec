/// Compares the names of a flat object, given as ranges of its text: decoded, and ignoring case.
enum MemberNames {
    /// The index of the first name that equals an earlier one.
    static func firstDuplicate(in bytes: [UInt8], _ names: [Range<Int>]) -> Int? {
        // Comparing a few plain names pair by pair costs no memory; a hostile number of names would cost too much time.
        guard names.count <= 32, !names.contains(where: { bytes[$0].contains(UInt8(ascii: "\\")) }) else {
            var seen: Set<[UInt8]> = []
            return names.indices.first { !seen.insert(folded(bytes[names[$0]])).inserted }
        }
        for index in names.indices {
            for earlier in 0..<index where same(bytes, names[earlier], names[index]) { return index }
        }
        return nil
    }

    /// A raw name in the form used for comparison: decoded, ASCII letters in lower case.
    static func folded(_ raw: ArraySlice<UInt8>) -> [UInt8] {
        (raw.contains(UInt8(ascii: "\\")) ? JSONText.unescaped(raw) : raw).map(\.foldedASCII)
    }

    private static func same(_ bytes: [UInt8], _ a: Range<Int>, _ b: Range<Int>) -> Bool {
        guard a.count == b.count else { return false }
        for offset in 0..<a.count
        where bytes[a.lowerBound + offset].foldedASCII != bytes[b.lowerBound + offset].foldedASCII {
            return false
        }
        return true
    }
}

extension UInt8 {
    var foldedASCII: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }
}
