/// The standard library's search takes any collection and costs a hundred times as much; answers come by the thousand.
extension ArraySlice<UInt8> {
    /// Where an ASCII word first stands, byte for byte.
    func first(_ word: StaticString) -> Range<Int>? {
        withUnsafeBufferPointer { bytes in
            word.withUTF8Buffer { word in
                var start = 0
                while start + word.count <= bytes.count {
                    if bytes[start] == word[0], (1..<word.count).allSatisfy({ bytes[start + $0] == word[$0] }) {
                        return startIndex + start..<startIndex + start + word.count
                    }
                    start += 1
                }
                return nil
            }
        }
    }
}
