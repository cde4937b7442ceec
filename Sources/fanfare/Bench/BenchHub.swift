import CommandLineTool
import ArgumentParser
import PushWorker
import Foundation
import HTTPTransport
import Providers
import Synchronization

/// `fanfare bench --hub`: how far away a hub is, and how it answers real sends. The transport alone; no database.
struct BenchHub: Sendable {
    let sending: BenchSending
    /// Whether it sends without asking first.
    let isConfirmed: Bool

    /// Requests that send nothing, on a connection that is open.
    private static let warmLooks = 5

    func run() async throws -> Report {
        try confirm()
        let sending = sending
        let report = try await sending.hub.withConnection(atOnce: sending.atOnce, measuresTime: true) { hub in
            var report = BenchHubReport(sending)
            try await Self.look(for: hub, &report)
            if report.failure == nil { try await Self.send(sending, to: hub, &report) }
            report.connections = hub.client.counters.connectionsOpened
            return report
        }
        return Report(report.text, report.json).failing(with: report.failure)
    }

    private func confirm() throws {
        StandardStreams.printError(sending.announcement)
        if isConfirmed { return }
        try Confirmation.ask(
            "Send them?", what: "bench", nothing: "nothing was sent", hint: "Add --yes to send anyway.")
    }

    /// Opens a connection and asks what doctor asks: the time is the way to the hub. Any answer will do; a key that may only
    /// send is refused.
    private static func look(
        for hub: HubConnection, _ report: inout BenchHubReport
    ) async throws {
        for _ in 0...warmLooks {
            let reply = await hub.client.perform(try await hub.signed { try hub.hub.service.question.ask($0) })
            let answer = hub.hub.provider.answer(to: reply)
            report.add(looked: answer, reply.timing)
            if answer.status == nil { return }
        }
    }

    /// The first one alone, so that a wrong key, name or tag costs one request. Then up to the limit at once, until all have left
    /// or one was not accepted.
    private static func send(
        _ sending: BenchSending, to hub: HubConnection, _ report: inout BenchHubReport
    ) async throws {
        let began = Clock.system.monotonic()
        report.add(try await one(1, of: sending, to: hub, began))
        guard report.failure == nil, sending.count > 1 else { return report.seconds = Clock.system.monotonic() - began }
        let turns = Turns()
        let replies = try await withThrowingTaskGroup(of: [BenchHubReport.Sent].self) { group in
            for _ in 0..<min(sending.atOnce, sending.count - 1) {
                group.addTask {
                    var sent: [BenchHubReport.Sent] = []
                    while !turns.areOver.load(ordering: .relaxed) {
                        let n = turns.next.add(1, ordering: .relaxed).oldValue
                        guard n <= sending.count else { break }
                        let answered = try await one(n, of: sending, to: hub, began)
                        if answered.answer.verdict != .accepted { turns.areOver.store(true, ordering: .relaxed) }
                        sent.append(answered)
                    }
                    return sent
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        for sent in replies { report.add(sent) }
        report.seconds = Clock.system.monotonic() - began
    }

    /// Whose turn it is, among those who send at the same time.
    private final class Turns: Sendable {
        let next = Atomic(2)
        let areOver = Atomic(false)
    }

    private static func one(
        _ n: Int, of sending: BenchSending, to hub: HubConnection, _ began: Double
    ) async throws -> BenchHubReport.Sent {
        let early =
            began + BenchSending.start(of: n, rate: sending.hub.settings.ratePerSecond) - Clock.system.monotonic()
        if early > 0 { try await Task.sleep(for: .seconds(early)) }
        let reply = try await hub.perform { pass throws(Failure) in
            try sending.request(n, with: pass)
        }
        return BenchHubReport.Sent(answer: sending.hub.provider.answer(to: reply), timing: reply.timing)
    }
}
