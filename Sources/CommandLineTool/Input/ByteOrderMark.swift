/// What the first bytes of a text say about its encoding, as Windows editors leave it. UTF-8 is read, UTF-16 refused.
enum ByteOrderMark {
    /// - Throws: `Failure` that names another encoding, and how to convert it.
    static func removed(from bytes: ArraySlice<UInt8>, of path: String) throws(Failure) -> ArraySlice<UInt8> {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return bytes.dropFirst(3) }
        guard bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) else { return bytes }
        throw Failure(
            InputFile.name(path), because: "its encoding is UTF-16, and UTF-8 is read",
            hint: "Convert it: iconv -f UTF-16 -t UTF-8 \(path == "-" ? "" : path) > converted", status: .badInput)
    }
}
