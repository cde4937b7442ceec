import Postgres
import TestSupport

/// The login of a console: each transaction names the person who acts, and takes on the role that the action needs.
struct Console {
    let database: Database

    /// - Parameter login: a suffix of its name: another console has another login.
    static func make(on test: TestDatabase, login: String = "console") async throws -> Console {
        let name = "\(test.name)_\(login)"
        try await test.database.script("CREATE ROLE \(name) LOGIN IN ROLE push_console")
        return Console(
            database: Database(DatabaseSettings(url: test.conninfo + " user=\(name)", maximumConnections: 2)))
    }

    /// One transaction, as the console begins each.
    ///
    /// - Parameters:
    ///   - person: nil: it names nobody.
    ///   - role: without `push_`; nil: none is set.
    /// - Returns: the first column of every row, as text.
    @discardableResult
    func act(_ person: String?, as role: String?, _ sql: SQL) async throws -> [String] {
        try await database.withTransaction { connection in
            if let person { try await connection.execute("SELECT set_config('push.person', \(person), true)") }
            if let role { try await connection.execute("SET LOCAL ROLE push_\(raw: role)") }
            return try await connection.query(sql) { rows in try rows.map { row in try row.stringOrNil() ?? "" } }
        }
    }
}
