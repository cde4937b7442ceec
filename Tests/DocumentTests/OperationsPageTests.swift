import Foundation
import HubEmulator
import Postgres
import ProgramSupport
import TestSupport
import Testing

/// docs/operations.md: every statement runs with the role it is for, on a database with messages in several states.
@Suite struct OperationsPageTests {
    @Test func everyStatementRunsAsTheRoleItIsFor() async throws {
        let page = try Page("docs/operations.md")
        let shop = try await Shop.open()
        let test = shop.worker.test
        // The hub never answered 1 and refused 2; 3 belongs to a campaign and is scheduled.
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
            // Logins belong to the server, which tests share, so each test needs names of its own.
            let sql = ["grafana", "anna", "fanfare", "console"].reduce(block.text) {
                $0.replacing("ROLE \($1) LOGIN", with: "ROLE \($1)_\(shop.login) LOGIN")
            }
            switch block.info {
            case "sql owner": try await expect(shop.psql(sql), block)
            case "sql monitor": try await expect(shop.psql(sql, as: shop.monitor), block)
            case "sql operator": try await expect(shop.psql(sql, as: operators), block)
            case "sql console": try await expect(shop.psql(sql, as: "console_" + shop.login), block)
            case "sql operator refused":
                let ended = try await shop.psql(sql, as: operators)
                #expect(ended.status != 0 && ended.errors.contains("HINT:"), "\(block): \(ended)")
                #expect(!ended.errors.contains(/permission denied|does not exist/), "\(block): \(ended)")
            default: Issue.record("\(block): no role runs it")
            }
        }
        #expect(try await shop.worker.statuses() == "cancelled 1, retrying 2", "sent again and cancelled as shown")
        #expect(try await shop.worker.lost() == [])
    }

    /// No statement for operators works for a monitor.
    @Test func aMonitorMayNotDoWhatAnOperatorDoes() async throws {
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
