import CommandLineTool
import Postgres
import PushModel
import PushWorker

/// Many messages, each for another user and with another text, so that each is a post of its own.
struct DemoLoad: Sendable {
    let count: Int

    /// What became of them.
    struct Facts: Sendable {
        var count: Int
        /// From the first INSERT to the last result.
        var seconds: Double
        var latency: DemoResults.Latency
        var audit: DeliveryBitmap

        var rate: Double { Double(count) / seconds }
    }

    /// How far it is.
    struct Progress: Sendable {
        var done: Int
        var count: Int
        /// Messages per second, of late.
        var rate: Double
        var inFlight: Int
    }

    /// Rows one INSERT adds. A small part of what a second needs, so that the first posts leave at once.
    private static let chunk = 10_000

    private static let insert = """
        INSERT INTO push.message (hub, tag, content, campaign)
        SELECT 'news', 'user:' || n,
               json_build_object('title', 'Your parcel', 'News', 'Parcel ' || n || ' arrives.'),
               'parcels'
          FROM generate_series
        """

    /// What is enqueued, as one statement; it is run in parts.
    var statement: String { "\(Self.insert)(1, \(count)) n;" }

    /// Enqueues them, and returns when all have their result.
    ///
    /// - Throws: `Failure` when they do not get one; what `report` throws.
    func run(at environment: DemoEnvironment, _ report: (Progress) throws -> Void) async throws -> Facts {
        var audit = DeliveryBitmap(count: count, after: environment.emulator.journal().last?.number ?? 0)
        let before = await environment.worker.progress.done.messages
        let began = ContinuousClock.now
        var pace = RateMeter()
        let enqueuing = Task { try await enqueue(into: environment.database) }
        var done = 0
        var changed = began
        while done < count {
            try await Task.sleep(for: .milliseconds(20))
            audit.read(environment.emulator.journal(after: audit.number))
            let now = await environment.worker.progress.done.messages - before
            if now != done { (done, changed) = (now, .now) }
            pace.note(done, at: began.duration(to: .now) / .seconds(1))
            try report(
                Progress(done: done, count: count, rate: pace.rate, inFlight: environment.worker.progress.inFlight))
            guard ContinuousClock.now - changed < .seconds(60) else {
                _ = try await enqueuing.value
                throw Failure(
                    "the demo stands still", because: "\(done) of \(count) messages have a result",
                    status: .internalFault)
            }
        }
        let seconds = began.duration(to: .now) / .seconds(1)
        _ = try await enqueuing.value
        try await environment.drained()
        audit.read(environment.emulator.journal(after: audit.number))
        let latency = try await DemoQueries(environment: environment).latency(campaign: "parcels")
        return Facts(count: count, seconds: seconds, latency: latency, audit: audit)
    }

    private func enqueue(into database: Database) async throws {
        for first in stride(from: 1, through: count, by: Self.chunk) {
            let last = min(count, first + Self.chunk - 1)
            try await database.execute(
                "\(raw: Self.insert)(\(Int64(first)), \(Int64(last))) n", doing: "enqueue messages")
        }
    }
}

extension DemoLoad.Facts {
    var claims: [DemoAssertion] {
        let isExact =
            audit.missing == 0 && audit.twice == 0 && audit.strange == 0 && audit.refused == 0 && !audit.hasGap
        return [
            DemoAssertion(
                "each of the \(HumanFormat.grouped(count)) messages reached the hub exactly once",
                wrong: isExact
                    ? nil
                    : "\(audit.missing) missing, \(audit.twice) again, \(audit.strange) unknown, \(audit.refused) refused"
                        + (audit.hasGap ? "; parts of the hub's journal were not read in time" : "")),
            DemoAssertion(
                "each of them has one result: accepted",
                wrong: latency.messages == Int64(count) ? nil : "\(Int64(count) - latency.messages) have not"),
        ]
    }
}

/// Messages per second over the last two seconds.
struct RateMeter: Sendable {
    private var samples: [(done: Int, at: Double)] = []

    /// - Parameter at: seconds, never less than the last time.
    mutating func note(_ done: Int, at: Double) {
        samples.append((done, at))
        while samples.count > 2, samples[1].at <= at - 2 { samples.removeFirst() }
    }

    /// 0 before there are two samples.
    var rate: Double {
        guard let first = samples.first, let last = samples.last, last.at > first.at else { return 0 }
        return Double(last.done - first.done) / (last.at - first.at)
    }
}
