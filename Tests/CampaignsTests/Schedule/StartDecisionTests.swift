import Foundation
import Postgres
import ProgramSupport
import TestSupport
import Testing

@testable import Campaigns

/// What a time of a schedule does, over all combinations of overlap, occasion and what is open.
@Suite struct StartDecisionTests {
    private static let opens: [StartDecision.Open?] = [nil] + StartDecision.Open.allCases

    /// As docs/cron.md shows it.
    private static var table: [String] {
        let head =
            "| `overlap` | the time | none | " + opens.compactMap { $0?.rawValue }.joined(separator: " | ") + " |"
        let rows = Overlap.allCases.flatMap { overlap in
            Occasion.allCases.map { occasion in
                let cells = opens.map { StartDecision(overlap, occasion, open: $0).rawValue }
                return "| `\(overlap.rawValue)` | \(words(occasion)) | " + cells.joined(separator: " | ") + " |"
            }
        }
        return [head, "|---|---|" + String(repeating: "---|", count: opens.count)] + rows
    }

    private static func words(_ occasion: Occasion) -> String {
        switch occasion {
        case .onTime: "on time"
        case .once: "missed, `once`"
        case .all: "missed, `all`"
        case .backfill: "`backfill`"
        }
    }

    @Test func theDatabaseDecidesTheSame() async throws {
        let test = try await TestDatabase.make()
        for overlap in Overlap.allCases {
            for occasion in Occasion.allCases {
                let decided = try await test.texts(
                    """
                    SELECT push_internal.decide_start(\(overlap.rawValue), \(occasion.rawValue), u.open::push.run_state)
                      FROM unnest(\(Self.opens.map { $0?.rawValue })) WITH ORDINALITY u(open, n) ORDER BY u.n
                    """)
                #expect(
                    decided == Self.opens.map { StartDecision(overlap, occasion, open: $0).rawValue },
                    "\(overlap) \(occasion)")
            }
        }
        // No state of a run that is not over is left out.
        #expect(
            try await test.texts(
                """
                SELECT u.state::text FROM unnest(enum_range(NULL::push.run_state)) WITH ORDINALITY u(state, n)
                 WHERE u.state NOT IN ('cancelled', 'done', 'failed', 'expired', 'skipped') ORDER BY u.n
                """) == StartDecision.Open.allCases.map(\.rawValue))
    }

    @Test func thePageShowsEveryCombination() throws {
        let page = try String(contentsOf: Repository.url("docs/cron.md"), encoding: .utf8)
        #expect(page.contains(Self.table.joined(separator: "\n")), "write:\n\(Self.table.joined(separator: "\n"))")
    }

    @Test func whatIsMadeUpNeverRunsBesideAnotherAndIsNeverSkipped() {
        for overlap in Overlap.allCases {
            for occasion in [Occasion.all, .backfill] {
                for open in StartDecision.Open.allCases {
                    #expect(StartDecision(overlap, occasion, open: open) == .wait)
                }
            }
        }
    }
}
