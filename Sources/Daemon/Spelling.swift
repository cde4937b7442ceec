/// "Did you mean …".
enum Spelling {
    /// The word most like `text`, at most two typing errors away; nil when none is that near.
    static func nearest(to text: String, in words: some Sequence<String>) -> String? {
        words.map { ($0, distance(text.lowercased(), $0.lowercased())) }
            .filter { $0.1 <= 2 && $0.1 < max(text.count, 1) }
            .min { ($0.1, $0.0) < ($1.1, $1.0) }?.0
    }

    /// Insertions, deletions, replacements, and swaps of neighbours, that make `one` into `other`.
    static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one), Array(other))
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
