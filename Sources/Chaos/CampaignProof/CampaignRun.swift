import Foundation
import HubEmulator
import Postgres
import Store

/// One campaign on a private test bed, disturbed while it is sent, from an empty directory to a report.
public struct CampaignRun: Sendable {
    public struct Options: Sendable {
        public var seed: UInt64
        public var recipients = 1_000_000
        public var workers = 2
        /// Leave logs and data behind when a promise was broken.
        public var keep = false

        public init(seed: UInt64) { self.seed = seed }
    }

    private static let name = "spring"
    private static let key = "chaos"

    let options: Options
    /// Gets a line about once a second.
    let progress: @Sendable (String) -> Void

    public init(_ options: Options, progress: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.progress = progress
    }

    /// - Parameter worker: the path of the program `fanfare`.
    /// - Throws: when the run could not be made; what it found is in the report.
    public func run(worker: String) async throws -> CampaignReport {
        var bed = ChaosRun.Options(seed: options.seed)
        bed.workers = options.workers
        bed.kinds = [.killWorker, .stopDatabaseAtOnce]
        bed.keep = options.keep
        return try await TestBed.with(bed, worker: worker, isGood: \.isGood) { try await send($0) }
    }

    private func send(_ testBed: TestBed) async throws -> CampaignReport {
        let audience = CampaignAudience(count: options.recipients)
        progress("making \(audience.count) recipients")
        try await audience.make(in: testBed.database)
        try await testBed.fleet.start()
        try await testBed.waitForHubs()
        let store = CampaignStore(database: testBed.database)
        _ = try await store.create(Self.name, spec: audience.spec, draft: false)
        let start = ContinuousClock.now
        let run = try await testBed.database.query("SELECT run FROM push.start_run(\(Self.name), \(Self.key))") {
            rows in try rows.first { row in try row.int64() } ?? 0
        }
        // A hub that answers at once leaves workers of a paced run with next to nothing in hand to lose.
        var slow = Fault(.every(1))
        (slow.delayMilliseconds, slow.delayUpToMilliseconds, slow.seed) = (50, 150, options.seed)
        slow.operations = [.send]
        _ = try testBed.emulator.add(slow)
        let schedule = DisturbancePlan(seed: options.seed, workers: options.workers)
        let injector = FaultInjector(testBed: testBed) { [] }
        var watch = CampaignWatch(testBed: testBed, run: run, journal: CampaignJournal(audience: audience))
        let disturbed = try await watch.untilItIsOver(schedule, injector, workers: options.workers, progress)
        let seconds = start.duration(to: .now) / .seconds(1)
        await testBed.fleet.stop()

        progress("reading what happened")
        watch.read()
        var facts = try await EvidenceReader(
            database: testBed.database, emulator: testBed.emulator, emulatorBegan: testBed.emulatorBegan, forgotten: []
        ).facts(ofRun: run, named: Self.name, key: Self.key, watch.journal)
        facts.kills = await injector.done.count { $0.kind == .killWorker }
        facts.heldByKilled = await injector.held
        facts.mostAhead = watch.mostAhead
        var report = CampaignReport(options: options, facts: facts, breaches: CampaignChecker.breaches(in: facts))
        report.directory = testBed.directory
        report.seconds = seconds
        report.disturbed = disturbed
        report.rescues = await injector.rescues
        report.troubles = await injector.failures + testBed.fleet.surprises
        for moment in schedule.moments where !disturbed.contains(where: { $0.disturbance == moment.disturbance }) {
            report.troubles.append("the run was over before this could happen: \(moment.disturbance.rawValue)")
        }
        if facts.heldByKilled == 0 {
            report.troubles.append("no killed worker held a message, so the kills prove nothing")
        }
        return report
    }
}
