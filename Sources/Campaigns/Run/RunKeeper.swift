import Concurrency
import Logging
import Postgres
import PushModel
import Store
import Synchronization

/// Moves runs on until they are over. One in every worker: each look locks the runs that it reads, `RunStep` decides
/// what comes next, and a change holds only if nobody else changed the run since.
public struct RunKeeper: Sendable {
    /// Seconds between two looks, while some runs are open and while none is.
    static let pause = (busy: 1.0, idle: 2.0)
    /// Runs in one look. The next page follows at once, so that all are looked at in turn.
    static let page: Int32 = 100
    /// Messages moved in one transaction.
    static let batch: Int32 = 10_000

    private let runs: Runs
    private let log: Logger
    private let wake = Wake()

    private final class Wake: Sendable {
        let latch = Mutex(Latch())
    }

    public init(runs: Runs, log: Logger) {
        (self.runs, self.log) = (runs, log)
    }

    /// Works until its task is cancelled.
    public func run() async {
        var pace = FaultPace()
        while !Task.isCancelled {
            var pause = Self.pause.idle
            let latch = Latch()
            wake.latch.withLock { $0 = latch }
            do throws(DatabaseError) {
                if try await look() { pause = Self.pause.busy }
                pace.succeeded()
            } catch {
                guard !Task.isCancelled else { return }
                if pace.failed() {
                    log.error("cannot update runs of campaigns; trying again", metadata: ["error": "\(error)"])
                }
                pause = pace.pause
            }
            await latch.wait(atMost: pause)
        }
    }

    /// Makes the next look begin at once: something that it waits for has ended.
    func lookSoon() {
        wake.latch.withLock { $0 }.happen()
    }

    /// Looks at all runs that are not over, once.
    ///
    /// - Returns: whether any run is open.
    @discardableResult
    package func look() async throws(DatabaseError) -> Bool {
        var (after, isAny) = (Int64(0), false)
        while !Task.isCancelled {
            let page = try await runs.look(after: after, most: Self.page)
            isAny = isAny || !page.isEmpty
            for look in page { try await take(RunStep.next(look), look) }
            let active = page.filter { $0.state != .waiting }
            guard active.count >= Self.page, let last = active.last else { break }
            after = last.run
        }
        return isAny
    }

    private func take(_ step: RunStep, _ look: Runs.Look) async throws(DatabaseError) {
        if let move = step.move {
            while !Task.isCancelled, try await runs.move(look, move, batch: Self.batch) >= Int64(Self.batch) {}
        }
        guard let event = step.event else { return }
        let state =
            step.ends
            ? try await runs.end(
                look, event: event.rawValue, why: step.why, pausingSchedule: step.pausesSchedule)
            : try await runs.change(look, event: event.rawValue, why: step.why)
        guard let state, state != look.state else { return }
        say(state, why: step.why, of: look)
    }

    private func say(_ state: RunState, why: String?, of look: Runs.Look) {
        var about: Logger.Metadata = [
            "campaign": "\(look.campaign)", "run": "\(look.key)", "state": "\(state.rawValue)",
        ]
        if let why { about["why"] = "\(why)" }
        guard why != nil || state.isOver else { return }
        log.notice("a campaign is \(state.rawValue)", metadata: about)
    }
}
