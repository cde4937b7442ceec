extension StringProtocol {
    /// The text with `new` for each `old`, found by Unicode scalars: as a shell, a browser, an XML reader and PostgreSQL find
    /// it.
    ///
    /// `replacing` compares whole characters. It passes over a mark that shares its character with a scalar before it
    /// (U+0600) or after it (U+0301), and a hostile text then ends the quotes around it.
    package func replacing(scalars old: String, with new: String) -> String {
        String(String(self).unicodeScalars.replacing(old.unicodeScalars, with: new.unicodeScalars))
    }

    /// The parts between the marks, which are found by Unicode scalars, too.
    package func split(
        scalar mark: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        Substring(self).unicodeScalars
            .split(separator: mark, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences)
            .map { Substring($0) }
    }
}
