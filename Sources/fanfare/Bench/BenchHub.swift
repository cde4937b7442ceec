import CommandLineTool
import ArgumentParser
import Daemon
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
        let report = try await sending.hub.withLoop(atOnce: sending.atOnce, measuresTime: true) { loop in
            var report = BenchHubReport(sending)
            try await Self.look(for: sending.hub, on: loop, &report)
            if report.failure == nil { try await Self.send(sending, on: loop, &report) }
            report.connections = loop.counters.connectionsOpened
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

    /// Opens a connection and asks for an installation that does not exist, as doctor does: the time is the way to the hub. Any
    /// answer will do; a key that may only send is answered with 401.
    private static func look(
        for hub: HubClient, on loop: HTTPClient, _ report: inout BenchHubReport
    ) async throws {
        for _ in 0...warmLooks {
            let reply = await loop.perform(
                try hub.signed { token throws(InvalidInstallation) in
                    try hub.installations.request(get: DoctorHubs.installation, signedBy: token)
                })
            let answer = hub.provider.answer(to: reply)
            report.add(looked: answer, reply.timing)
            if answer.status == nil { return }
        }
    }

    /// The first one alone, so that a wrong key, name or tag costs one request. Then up to the limit at once, until all have left
    /// or one was not accepted.
    private static func send(
        _ sending: BenchSending, on loop: HTTPClient, _ report: inout BenchHubReport
    ) async throws {
        let began = Clock.system.monotonic()
        report.add(try await one(1, of: sending, on: loop, began))
        guard report.failure == nil, sending.count > 1 else { return report.seconds = Clock.system.monotonic() - began }
        let turns = Turns()
        let replies = try await withThrowingTaskGroup(of: [BenchHubReport.Sent].self) { group in
            for _ in 0..<min(sending.atOnce, sending.count - 1) {
                group.addTask {
                    var sent: [BenchHubReport.Sent] = []
                    while !turns.areOver.load(ordering: .relaxed) {
                        let n = turns.next.add(1, ordering: .relaxed).oldValue
                        guard n <= sending.count else { break }
                        let answered = try await one(n, of: sending, on: loop, began)
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
        _ n: Int, of sending: BenchSending, on loop: HTTPClient, _ began: Double
    ) async throws -> BenchHubReport.Sent {
        let early =
            began + BenchSending.start(of: n, rate: sending.hub.settings.ratePerSecond) - Clock.system.monotonic()
        if early > 0 { try await Task.sleep(for: .seconds(early)) }
        let reply = try await sending.hub.perform(on: loop) { token throws(Failure) in
            try sending.request(n, signedBy: token)
        }
        return BenchHubReport.Sent(answer: sending.hub.provider.answer(to: reply), timing: reply.timing)
    }
}
