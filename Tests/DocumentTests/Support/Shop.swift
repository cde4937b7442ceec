import Foundation
import Postgres
import ProgramSupport
import TestSupport
import Testing

/// The backend of docs/enqueue.md: a login that is a member of `push_enqueue` and of nothing else, with its table
/// `orders`, beside a worker and an emulator for its messages.
struct Shop {
    let worker: TestWorker
    let page: Page
    /// Stands in for the page's `shop`: logins belong to the server, which tests share.
    let login: String
    let monitor: String

    /// Runs the statements with which the page sets up the shop.
    static func open() async throws -> Shop {
        let shop = try await Shop(
            worker: .make(), page: Page("docs/enqueue.md"), login: name("shop"), monitor: name("monitor"))
        for block in shop.page.blocks("sql").filter({ $0.info == "sql owner" }).prefix(2) {
            try await shop.expect(shop.psql(shop.own(block.text)), block)
        }
        try await shop.worker.test.database.script("CREATE ROLE \(shop.monitor) LOGIN IN ROLE push_monitor")
        return shop
    }

    private static func name(_ word: String) -> String {
        word + "_" + UUID().uuidString.lowercased().filter { $0 != "-" }
    }

    /// Statements of the page with the login of this test.
    func own(_ sql: String) -> String { sql.replacing(/\bshop\b/, with: login) }

    /// The variables that name the database to a program.
    func environment(user: String) -> [String: String] {
        ["PGHOST": host, "PGPORT": "5432", "PGDATABASE": worker.test.name, "PGUSER": user, "PGSSLMODE": "disable"]
    }

    /// The directory of the server's socket.
    var host: String { worker.test.conninfo.firstMatch(of: /host='([^']+)'/).map { String($0.1) } ?? "" }

    /// Runs a script in psql, and stops at the first error.
    ///
    /// - Parameter user: the login; default: the owner of the schema.
    func psql(_ script: String, as user: String = "postgres") async throws -> Tool.Ended {
        try await Tool.psql(
            ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-"], environment: environment(user: user), input: script + "\n"
        )
    }

    func expect(_ ended: Tool.Ended, _ block: Page.Block) throws {
        #expect(ended.status == 0, "\(page.path) \(block): \(ended)")
    }
}
