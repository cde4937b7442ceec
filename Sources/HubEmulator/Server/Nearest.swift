import PushModel

/// Which of the known words a misspelt one was meant to be.
enum Nearest {
    /// The nearest by insertions, deletions, replacements and swaps of neighbours; at most one of them for every three
    /// characters, and 3. Of equally near ones the first in alphabetical order; nil: none is near.
    static func word(to word: String, among known: some Sequence<String>) -> String? {
        let wanted = Array(word.utf8)
        var best: String?
        var least = min(3, wanted.count / 3) + 1
        for candidate in known {
            let bytes = Array(candidate.utf8)
            guard abs(bytes.count - wanted.count) <= least, candidate != word else { continue }
            let distance = EditDistance.between(wanted, bytes)
            if distance < least || distance == least && best.map({ candidate < $0 }) ?? false {
                best = candidate
                least = distance
            }
        }
        return best
    }
}
