/// How far apart two spellings are, for "did you mean …".
public enum EditDistance {
    /// Insertions, deletions, replacements, and swaps of neighbouring bytes, that make `one` into `other` (optimal string
    /// alignment: nothing is changed twice).
    public static func between(_ one: [UInt8], _ other: [UInt8]) -> Int {
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
