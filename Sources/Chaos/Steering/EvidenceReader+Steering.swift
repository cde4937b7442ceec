import Postgres
import PushModel
import Store

extension EvidenceReader {
    /// Reads the facts of steered runs that are over.
    func facts(of runs: [SteeredRun], audience: CampaignAudience) async throws -> SteeringFacts {
        var facts = SteeringFacts(audience: audience, runs: runs)
        facts.read(emulator.journal())
        try await readMessages(into: &facts)
        try await readStates(into: &facts)
        facts.left = try await database.query(
            "SELECT (SELECT count(*) FROM push.due) + (SELECT count(*) FROM push.claim)"
        ) { rows in try rows.first { row in try row.int64() } ?? 0 }
        facts.lost = try await lost()
        return facts
    }

    private func readMessages(into facts: inout SteeringFacts) async throws {
        let before = facts
        facts = try await database.query(
            """
            WITH newest AS MATERIALIZED (\(raw: Self.newest))
            SELECT substring(m.campaign FROM '^c([0-9]{1,6})$')::int, m.hub, m.recipient::int, coalesce(n.status::text, '')
              FROM push.message m
                   LEFT JOIN newest n ON n.id = m.id
             WHERE NOT starts_with(m.campaign, \(HostileOwner.prefix))
            """
        ) { rows in
            var facts = before
            try rows.forEach { row in
                let place = SteeringFacts.Place(
                    run: Int(try row.int32()), hub: try row.string(), key: Int(try row.int32()))
                facts.recipients[place, default: .init()].messages += 1
                facts.recipients[place, default: .init()].status = try row.string()
            }
            return facts
        }
    }

    private func readStates(into facts: inout SteeringFacts) async throws {
        let before = facts
        facts = try await database.query(
            """
            SELECT c.name, r.state::text, r.closed_at IS NOT NULL
              FROM push.run r JOIN push.campaign c ON c.id = r.campaign
            """
        ) { rows in
            var facts = before
            try rows.forEach { row in
                let name = try row.string()
                let (state, isClosed) = (RunState(rawValue: try row.string()), try row.bool())
                guard let index = facts.runs.firstIndex(where: { $0.campaign == name }) else { return }
                (facts.runs[index].state, facts.runs[index].isClosed) = (state, isClosed)
            }
            return facts
        }
    }
}
