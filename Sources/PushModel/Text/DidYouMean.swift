/// Finds the known word that a misspelt one was probably meant to be. Case does not count.
package enum DidYouMean {
    /// How many typing errors a suggestion may be away.
    package enum Tolerance {
        /// Two, and fewer than the word has characters: for keys out of a list of ours.
        case two
        /// One for every three bytes of the word, at most 3: for tags and properties, of which many resemble another.
        case oneInThree

        fileprivate func limit(for word: String) -> Int {
            switch self {
            case .two: min(2, word.count - 1)
            case .oneInThree: min(3, word.utf8.count / 3)
            }
        }
    }

    /// - Returns: the nearest word; of several the first in alphabetical order; nil when none is near enough. Never
    ///   `word` itself.
    package static func nearest(
        to word: String, in known: some Sequence<String>, tolerance: Tolerance = .two
    ) -> String? {
        let wanted = Array(word.lowercased().utf8)
        var least = tolerance.limit(for: word)
        var best: String?
        for candidate in known {
            let bytes = Array(candidate.lowercased().utf8)
            guard abs(bytes.count - wanted.count) <= least, candidate != word else { continue }
            let distance = distance(wanted, bytes)
            if distance < least || distance == least && best.map({ candidate < $0 }) ?? true {
                best = candidate
                least = distance
            }
        }
        return best
    }

    /// The command or option that was probably meant: the plural; else the only one that has `word` as one of its parts
    /// between dashes, as `open-gate` has `gate`; else the nearest.
    package static func command(for word: String, in known: [String]) -> String? {
        if known.contains(word + "s") { return word + "s" }
        let parts = known.filter { $0 != word && $0.split(separator: "-").contains(word.drop { $0 == "-" }) }
        return parts.count == 1 ? parts[0] : nearest(to: word, in: known)
    }

    /// Insertions, deletions, replacements, and swaps of neighbouring bytes, that turn `one` into `other` (optimal
    /// string alignment: no byte is changed twice).
    static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var before: [Int] = []
        var last = Array(0...other.count)
        for i in one.indices {
            var row = [i + 1]
            for j in other.indices {
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (one[i] == other[j] ? 0 : 1))
                if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] { cost = min(cost, before[j - 1] + 1) }
                row.append(cost)
            }
            (before, last) = (last, row)
        }
        return last[other.count]
    }
}
