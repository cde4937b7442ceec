/// Which row of a file a message is: rows are counted through the file, so that they do not differ from run to run as ids do.
/// Where ids and rows count up together they are one span, so that a file of millions of lines needs few. Pure.
struct FileRows {
    private struct Span {
        var id: Int64
        var number: Int64
        var count: Int64
    }

    private var spans: [Span] = []
    /// Rows of the line that came last.
    private var last: Int64 = 1

    /// What comes next was inserted by another statement: a gap before it says nothing of the line that came last.
    mutating func beginPortion() { last = 1 }

    /// Adds a line. Its ids are greater than those of the lines before.
    ///
    /// - Parameters:
    ///   - id: of the message that is its first row; the ids of the others follow, unless somebody else took some meanwhile.
    ///   - number: of its first row.
    ///   - rows: how many it has, its translations.
    mutating func add(id: Int64, number: Int64, rows: Int64) {
        if var span = spans.popLast() {
            // Only now it is known whether the last line had all ids up to this one.
            if span.id + span.count != id { span.count -= last - 1 }
            if span.id + span.count == id, span.number + span.count == number {
                span.count += rows
                last = rows
                spans.append(span)
                return
            }
            spans.append(span)
        }
        spans.append(Span(id: id, number: number, count: rows))
        last = rows
    }

    /// - Returns: nil for a message that is in no line, or a translation whose id is not known.
    func number(of id: Int64) -> Int64? {
        var (low, high) = (0, spans.count)
        while low < high {
            let middle = (low + high) / 2
            if spans[middle].id <= id { low = middle + 1 } else { high = middle }
        }
        guard low > 0, id - spans[low - 1].id < spans[low - 1].count else { return nil }
        return spans[low - 1].number + id - spans[low - 1].id
    }
}
