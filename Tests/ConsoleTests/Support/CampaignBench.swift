import Postgres
import Store
import Synchronization
import TestSupport
import Testing

@testable import Console

/// A console with campaigns, which persons made and act on through one login.
struct CampaignBench {
    let bench: ConsoleBench

    var test: TestDatabase { bench.test }

    /// What campaigns say unless a test wants something else.
    static let members = [
        "hubs": #"["news"]"#, "audience": #"{"tags": ["A"]}"#,
        "content": #"{"en": {"title": "secret-words"}, "fr": {"title": "mots"}}"#,
    ]

    static func make() async throws -> CampaignBench { CampaignBench(bench: try await ConsoleBench.make()) }

    /// - Parameter members: of the spec, as JSON, in place of or beside the usual ones.
    static func spec(_ members: [String: String] = [:]) -> String {
        let all = Self.members.merging(members) { $1 }.sorted { $0.key < $1.key }
        return "{" + all.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ") + "}"
    }

    /// Makes a campaign, or a revision of it.
    ///
    /// - Parameter person: who is signed in to the console.
    func campaign(
        _ name: String = "spring", _ members: [String: String] = [:], by person: String = "Ann", draft: Bool = false
    ) async throws {
        let frame = TransactionFrame(role: "push_campaign", isReadOnly: false, settings: ["push.person": person])
        _ = try await CampaignStore(database: bench.login.database.framed(by: frame)).create(
            name, spec: Self.spec(members), draft: draft)
    }

    func approval(_ revision: Int32, of name: String = "spring") async throws -> CampaignStore.Approval {
        try #require(try await CampaignStore(database: test.database).approval(name, revision: revision))
    }

    /// A console whose viewers share a forecast, as those of a real one do, and nothing else: that is kept for shorter than its
    /// clock goes on with each look.
    func console(
        _ rights: Set<Right>, named name: String = "Ann", statementSeconds: Int = 60, now: Double = 1_800_000_000
    ) -> TestConsole {
        let seconds = Mutex(0.0)
        let looks = Looks {
            seconds.withLock {
                $0 += 2
                return $0
            }
        }
        return TestConsole(
            bench.login.database, person: Person(name, rights: rights), sharing: looks,
            statementSeconds: statementSeconds,
            now: { now })
    }
}
