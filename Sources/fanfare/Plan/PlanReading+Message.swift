import CommandLineTool
import Postgres
import PushModel
import Store

extension PlanReading {
    /// Where a message is, and what would share a request with it.
    ///
    /// - Throws: also `Failure` for an id that no message has.
    func report(of message: Int64, _ database: Database) async throws -> Report {
        try await PlanReader.read(database) { reader in
            guard let standing = try await reader.standing(of: message) else {
                throw Failure(
                    "cannot plan message \(message)", because: "no message has that id",
                    hint: "fanfare message list finds messages by tag, key, tenant and campaign.", status: .badInput)
            }
            let plan = MessagePlan(standing: standing, asOf: reader.asOf)
            guard let dueAt = standing.dueAt else { return plan.report }
            return try await self.plan(standing, dueAt: dueAt, by: reader, plan).report
        }
    }

    /// Plans the claims of its lane up to the one that has it. What is due later is planned as of its time, alone with what is
    /// due at the same moment.
    private func plan(
        _ standing: PlanStanding, dueAt: Double, by reader: PlanReader, _ plan: MessagePlan
    ) async throws -> MessagePlan {
        var plan = plan
        let isLater = dueAt > reader.asOf
        let asOf = isLater ? dueAt : reader.asOf
        let lanes = try await reader.lanes(hub: standing.name, priority: standing.priority, asOf: asOf)
        guard let lane = lanes.first else { return plan }
        var wanted = wanted
        wanted.posts = true
        wanted.why = WhyApart(standing.message)
        var book = PlanBook(asOf: reader.asOf, wanted: wanted)
        try await begin(lane, of: reader, in: &book)
        // All that is due before will have left by then.
        var position = isLater ? DuePosition(dueAt: Timestamp(secondsSince1970: dueAt - 0.001), id: .max) : .start
        while let claim = try await reader.claim(lane, after: position, asOf: asOf, limit: batch) {
            position = claim.position
            book.add(claim, priority: lane.priority, now: asOf)
            if book.wanted.why?.isComplete == true { break }
        }
        plan.book = book
        return plan
    }
}
