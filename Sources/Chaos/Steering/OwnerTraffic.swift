import Foundation
import Postgres
import PushModel
import Store

/// The owner of campaigns, who acts while everything breaks: keeps two runs going, and pauses, resumes, cancels,
/// retries and paces them at random.
actor OwnerTraffic {
    private enum Answer { case done, refused, unknown }

    private let database: Database
    private let campaigns: CampaignStore
    private var random: SeededRandom
    private(set) var runs: [SteeredRun] = []
    private(set) var actions: [String: Int] = [:]
    /// Errors that neither the state of a run nor a fault explains.
    private(set) var faults: Set<String> = []

    init(database: Database, seed: UInt64) {
        self.database = database
        campaigns = CampaignStore(database: database)
        random = SeededRandom(seed: seed)
    }

    /// Works until it is cancelled.
    func work() async {
        while !Task.isCancelled {
            if let open = await openRuns(), open < 2 { await start() } else { await act() }
            // Ends early only by cancellation, which ends the loop.
            try? await Task.sleep(for: .milliseconds(Int.random(in: 50...1_000, using: &random)))
        }
    }

    /// Resumes what is paused.
    func settle() async {
        for index in runs.indices where runs[index].wish != .cancelled { await resume(index) }
        // The server's answers are read at the end, so nobody is heard before that.
        let now = Date().timeIntervalSince1970
        for index in runs.indices { runs[index].allowTraffic(from: now) }
    }

    /// nil: the database is away.
    private func openRuns() async -> Int64? {
        do {
            return try await database.query(
                """
                SELECT count(*) FROM push.run r JOIN push.campaign c ON c.id = r.campaign
                 WHERE r.ended_at IS NULL AND NOT starts_with(c.name, \(HostileOwner.prefix))
                """
            ) { rows in
                try rows.first { row in try row.int64() }
            }
        } catch {
            return nil
        }
    }

    private func start() async {
        let run = SteeredRun(number: runs.count + 1)
        let rate = rate()
        runs.append(run)
        let answer = await insist { [campaigns] () throws(DatabaseError) in
            _ = try await campaigns.create(run.campaign, spec: run.spec(rate: rate), draft: false)
            _ = try await campaigns.start(run.campaign, key: SteeredRun.key)
        }
        note("start", answer)
    }

    /// Messages a second: anything from a trickle to as fast as the hubs take them.
    private func rate() -> Int? { [nil, 100, 400, 1_000, 5_000].randomElement(using: &random) ?? nil }

    private func act() async {
        guard let index = runs.indices.suffix(3).randomElement(using: &random) else { return }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6: await pause(index)
        case 6..<13: await resume(index)
        case 13..<18:
            let (name, rate) = (runs[index].campaign, rate())
            let answer = await insist { [campaigns] () throws(DatabaseError) in
                try await campaigns.setRate(name, key: SteeredRun.key, rate: rate.map(Double.init))
            }
            note("rate", answer)
        case 18: note("retry", await steer(index, .retry(reason: nil)))
        default: await cancel(index)
        }
    }

    private func pause(_ index: Int) async {
        let answer = await steer(index, .pause(reason: nil))
        if answer == .done { runs[index].expectQuiet(from: Date().timeIntervalSince1970) }
        note("pause", answer)
    }

    private func resume(_ index: Int) async {
        if runs[index].wish != .cancelled { runs[index].allowTraffic(from: Date().timeIntervalSince1970) }
        note("resume", await steer(index, .resume))
    }

    private func cancel(_ index: Int) async {
        let answer = await steer(index, .cancel)
        switch answer {
        case .done:
            runs[index].wish = .cancelled
            runs[index].expectQuiet(from: Date().timeIntervalSince1970)
        case .unknown: runs[index].wish = .either
        case .refused: break
        }
        note("cancel", answer)
    }

    private func note(_ action: String, _ answer: Answer) {
        actions[answer == .done ? action : "\(action): \(answer)", default: 0] += 1
    }

    /// All calls of a steering function, in batches so small that workers act between them.
    private func steer(_ index: Int, _ steering: CampaignStore.Steering) async -> Answer {
        let name = runs[index].campaign
        let batch = Int32.random(in: 300...10_000, using: &random)
        let (campaigns, after) = (campaigns, Cursor())
        return await insist { () throws(DatabaseError) in
            repeat {
                after.value = try await campaigns.steer(
                    name, key: SteeredRun.key, steering, after: after.value, batch: batch
                ).next
            } while after.value != nil
        }
    }

    /// Where the next call goes on, also after a lost connection.
    private final class Cursor { var value: String? }

    /// Retries like a person, for at most a minute: the database may be away.
    private func insist(_ body: () async throws(DatabaseError) -> Void) async -> Answer {
        let began = ContinuousClock.now
        var mayHaveHappened = false
        while true {
            do throws(DatabaseError) {
                try await body()
                return .done
            } catch {
                if error.is(.objectNotInPrerequisiteState) { return mayHaveHappened ? .unknown : .refused }
                if !error.isTransient || began.duration(to: .now) > .seconds(60) {
                    faults.insert("\(error)")
                    return .unknown
                }
                mayHaveHappened = true
                // Not cancelled: a run that is broken off ends the process.
                try? await Task.sleep(for: .milliseconds(300))
            }
        }
    }
}
