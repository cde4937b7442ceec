import Store

/// What keeps the page itself from knowing: the database is away, or its schema is not ours.
enum ReadingProblems {
    static func of(_ rows: OverviewRows) -> [Problem] { [away(rows), schema(rows)].compactMap(\.self) }

    private static func away(_ rows: OverviewRows) -> Problem? {
        guard let trouble = rows.troubles.first(where: { $0.kind == .away }) else { return nil }
        return Problem(
            kind: .databaseAway, severity: .critical, what: "The database cannot be reached", why: trouble.words,
            todo: "Workers keep what they know and go on by themselves when it is back; nothing is sent until then. "
                + "See whether PostgreSQL runs, and whether this machine reaches it.")
    }

    private static func schema(_ rows: OverviewRows) -> Problem? {
        guard let standing = rows.schema.value else { return nil }
        if let refusal = standing.refusal {
            return Problem(
                kind: .schema, severity: .critical, what: "The schema is not the one of this program",
                why: "\(refusal)",
                todo: "Until then this page shows what it can read.")
        }
        return standing.notice.map {
            Problem(
                kind: .schema, severity: .warning, what: "The schema is newer than this program", why: $0,
                todo: "Upgrade this program, too: what is new in the database is not shown.")
        }
    }
}
