import PushModel

/// The namespace prefixes declared around the current element; `XMLScanner` does not check them.
struct NamespaceScope {
    /// One list for each open element.
    private var declared: [[Substring]] = []
    /// Prefixes of the start tag being read.
    private var used: [Substring] = []

    /// Takes every event of a document, in order.
    ///
    /// - Returns: false when the tag read before uses an undeclared prefix, or a name or a declaration is malformed.
    mutating func follow(_ event: XMLScanner.Event, of scanner: XMLScanner) -> Bool {
        if case .attribute(let value) = event {
            let parts = Self.parts(of: scanner.attributeName)
            guard parts.count == 2, parts[0] == "xmlns" else { return use(parts) }
            declared[declared.count - 1].append(parts[1])
            return !value.isEmpty && !parts[1].isEmpty
        }
        guard used.allSatisfy(isDeclared) else { return false }
        used = []
        switch event {
        case .start:
            declared.append([])
            return use(Self.parts(of: scanner.elementName))
        case .end: declared.removeLast()
        case .attribute, .instruction: break
        }
        return true
    }

    private func isDeclared(_ prefix: Substring) -> Bool {
        prefix == "xml" || declared.contains { $0.contains(prefix) }
    }

    private mutating func use(_ parts: [Substring]) -> Bool {
        if parts.count == 2 { used.append(parts[0]) }
        return parts.count <= 2 && parts.allSatisfy { !$0.isEmpty }
    }

    private static func parts(of name: String) -> [Substring] {
        name.split(separator: ":", omittingEmptySubsequences: false)
    }
}
