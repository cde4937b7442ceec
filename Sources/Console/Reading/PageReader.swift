import Postgres

/// Reads what one page shows, with the rights of one person.
///
/// Each part is a transaction of its own, read-only, with the role of the right that it needs, and with a bound on its time.
struct PageReader: Sendable {
    let database: Database
    let looks: Looks
    let desk: ActionDesk
    let person: Person
    /// A statement of a page that takes longer is cancelled, and no page waits longer for a part: it shows the rest.
    let statementSeconds: Int
    /// What it has read so far.
    let taken = TakenLooks()

    /// - Parameters:
    ///   - part: as people know it, for the words when it cannot be read: `workers`.
    ///   - subject: what else the answer depends on: a hub, a filter. Default: nothing.
    ///   - right: whose role reads it; the person has it. nil: the login's own rights. Default: `look`.
    ///   - seconds: how old an answer may be that was read for somebody else. Default 1.
    ///   - read: the statements. Not called while an answer is fresh enough.
    func part<Value: Sendable>(
        _ part: String, of subject: String = "", as right: Right? = .look, freshFor seconds: Double = 1,
        _ read: @escaping @Sendable (Database) async throws(DatabaseError) -> Value
    ) async -> Part<Value> {
        let role = person.sharesLogin ? right?.role : nil
        let database = database.framed(
            by: TransactionFrame(role: role, statementTimeout: .seconds(statementSeconds)))
        let key = Looks.Key(part: part, subject: subject, role: role)
        let found = await looks.value(key, freshFor: seconds, within: Double(statementSeconds)) {
            do throws(DatabaseError) {
                return Part.read(try await read(database))
            } catch {
                return .unread(Trouble(part, error))
            }
        }
        taken.add(found?.taken)
        return found?.value ?? .unread(Trouble(part, .tookTooLong, "no answer within \(statementSeconds) s"))
    }
}
