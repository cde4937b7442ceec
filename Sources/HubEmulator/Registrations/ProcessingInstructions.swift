extension [UInt8] {
    /// Whether XML in UTF-8 has a `<?…?>` other than the declaration at its beginning. What stands in CDATA or in a
    /// comment is none.
    ///
    /// Foundation's parser on Linux (Swift 6.3) ends the process at one without data, `<?x?>`: it reads a C string where
    /// libxml2 gives none. Found by the fuzzer. Looks at bytes, as libxml2 does: to Swift's characters `]]>` with an
    /// accent behind it is no end of CDATA.
    var hasProcessingInstruction: Bool {
        var index = firstIndex { !" \t\r\n".utf8.contains($0) } ?? endIndex
        if self[index...].starts(with: "<?xml ".utf8) {
            // A declaration that is none ends for libxml2 at its first `>`, wherever the next `?>` may be.
            guard let end = self[index...].firstIndex(of: UInt8(ascii: ">")) else { return true }
            guard self[end - 1] == UInt8(ascii: "?") else { return true }
            index = end + 1
        }
        while let open = self[index...].firstIndex(of: UInt8(ascii: "<")) {
            let rest = self[open...]
            if rest.starts(with: "<?".utf8) { return true }
            if rest.starts(with: "<![CDATA[".utf8) {
                index = after("]]>", from: open + 9)
            } else if rest.starts(with: "<!--".utf8) {
                index = after("-->", from: open + 4)
            } else {
                index = open + 1
            }
        }
        return false
    }

    private func after(_ mark: String, from index: Int) -> Int {
        self[index...].firstRange(of: Array(mark.utf8))?.upperBound ?? endIndex
    }
}
