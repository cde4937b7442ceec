import Foundation
import HubEmulator
import Postgres
import TestSupport
import Testing

/// docs/operations.md: every statement on it is run by the role it is for, on a database where there is something to see.
@Suite struct OperationsPageTests {
    @Test func everyStatementRunsAsTheRoleItIsFor() async throws {
        let page = try Page("docs/operations.md")
        let shop = try await Shop.open()
        let test = shop.worker.test
        // 1 was never answered, 2 was refused by the hub, 3 belongs to a campaign and is still to come.
        var lost = Fault(.nth(1))
        lost.closing = .afterBody
        try shop.worker.emulator.add(lost)
        try shop.worker.emulator.add(Fault(.nth(2), status: 400))
        for tag in ["a", "b"] {
            try await shop.worker.enqueue(1, tag: tag)
            try await shop.worker.drain()
        }
        try await test.database.script(
            """
            INSERT INTO push.message (hub, tag, content, campaign, send_at)
            VALUES ('news', 'c', '{"message": "c"}', 'reminder', now() + interval '1 day')
            """)
        #expect(try await shop.worker.statuses() == "in_doubt 1, rejected 1, scheduled 1")

        let operators = "operator_" + shop.login
        try await test.database.script("CREATE ROLE \(operators) LOGIN IN ROLE push_operator")
        for block in page.blocks("sql") {
            // Logins belong to the server, which tests share.
            let sql = ["grafana", "anna", "fanfare"].reduce(block.text) {
                $0.replacing("ROLE \($1) LOGIN", with: "ROLE \($1)_\(shop.login) LOGIN")
            }
            switch block.info {
            case "sql owner": try await expect(shop.psql(sql), block)
            case "sql monitor": try await expect(shop.psql(sql, as: shop.monitor), block)
            case "sql operator": try await expect(shop.psql(sql, as: operators), block)
            case "sql operator refused":
                let ended = try await shop.psql(sql, as: operators)
                #expect(ended.status != 0 && ended.errors.contains("HINT:"), "\(block): \(ended)")
                #expect(!ended.errors.contains(/permission denied|does not exist/), "\(block): \(ended)")
            default: Issue.record("\(block): nobody is to run it")
            }
        }
        #expect(try await shop.worker.statuses() == "cancelled 1, retrying 2", "sent again and cancelled as shown")
        #expect(try await shop.worker.lost() == [])
    }

    /// No statement of the page is more than its role may do, and none would do for a lesser one.
    @Test func whatAnOperatorDoesAMonitorMayNot() async throws {
        let page = try Page("docs/operations.md")
        let shop = try await Shop.open()
        for block in page.blocks("sql") where block.info.hasPrefix("sql operator") {
            let ended = try await shop.psql(block.text, as: shop.monitor)
            #expect(ended.errors.contains("permission denied"), "\(block): \(ended)")
        }
    }

    private func expect(_ ended: Tool.Ended, _ block: Page.Block) throws {
        #expect(ended.status == 0, "docs/operations.md \(block): \(ended)")
    }
}
