/// One page of a list whose ids go down: what was read, and where the next page begins. Pure.
struct KeysetPage<Row: Sendable>: Sendable {
    let rows: [Row]
    /// Below which id the next page begins; nil: this is the last one.
    let next: Int64?

    /// Rows of a page.
    static var size: Int { 50 }

    /// - Parameter read: the newest first; one more than fit, where there are more.
    init(_ read: [Row], id: (Row) -> Int64) {
        rows = Array(read.prefix(Self.size))
        next = read.count > Self.size ? rows.last.map(id) : nil
    }
}

/// The way to other pages of a list: the template `turns`.
struct TurnsView {
    /// Of what the page shows: `the newest 50`, `no more`.
    let turnWords: String
    let turnNewest: String?
    let turnOlder: String?

    /// - Parameters:
    ///   - thing: what the list has, in the plural: `entries`.
    ///   - before: below which id this page begins; nil: it begins at the newest.
    ///   - address: of the page that begins below an id, nil: at the newest.
    init<Row>(_ page: KeysetPage<Row>, _ thing: String, before: Int64?, address: (Int64?) -> String) {
        let count = page.rows.count
        turnWords =
            switch (count, before) {
            case (0, nil): "No \(thing) with these filters."
            case (0, let before?): "No older \(thing): nothing is below id \(before)."
            case (_, nil): page.next == nil ? "All \(count) \(thing)." : "The newest \(count) \(thing)."
            case (_, let before?):
                "\(count) \(thing) below id \(before)\(page.next == nil ? ", the last ones" : "")."
            }
        turnNewest = before == nil ? nil : address(nil)
        turnOlder = page.next.map { address($0) }
    }
}
