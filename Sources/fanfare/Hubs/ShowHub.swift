import ArgumentParser
import CommandLineTool
import Configuration
import PushModel
import Store

/// `fanfare hub show`
struct ShowHub: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show all about one hub: gate, key or account, token, window, rate, backlog, devices.",
        discussion: "Example: fanfare hub show news --json")

    @Argument(help: "The hub's name in the settings.", completion: .hub) var hub: String
    @OptionGroup var counting: CountingOption
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let hubs = try await SystemStatus.read(from: database, isExact: counting.isExact).hubs
        guard let found = hubs.first(where: { $0.hub == hub }) else {
            throw Failure.unknown(
                hub: hub, among: hubs.map(\.hub), "cannot show hub \"\(hub)\"",
                because: "hub \"\(hub)\" is not registered", all: "Registered", none: "fanfare migrate up")
        }
        return Report(found.text, found.json)
    }
}

extension SystemStatus.Hub {
    /// One fact a line.
    var text: String {
        let facts: [(String, String?)] = [
            ("hub", hub), ("kind", kind), ("state", state), ("why", why), ("gate until", gateUntil),
            ("next probe", nextProbe),
            ("due", dueText), ("later", laterText), ("oldest waits", waiting.map(HumanFormat.duration)),
            ("workers", "\(workers)"), ("note", note), (keyWord, key), (expiryWord, tokenExpiresAt),
            ("in flight", flight),
            ("answers/s", answersPerSecond.map(HumanFormat.rate)),
            ("rate", rate.map { "at most \(HumanFormat.rate($0)) posts per second" } ?? "no limit"),
            ("slowed to", slowedTo), ("devices", devices?.waitingWords), ("devices wait", devices?.reason),
            ("refused", devices?.refusedWords),
        ]
        let shown = facts.compactMap { fact in fact.1.map { (fact.0, $0) } }
        return shown.map { $0.0 + String(repeating: " ", count: 14 - $0.0.count) + $0.1.onOneLine }.joined(
            separator: "\n")
    }

    /// What the hub knows us by: `key`, or at some kinds `account`.
    private var keyWord: String { HubKind(rawValue: kind).map { HubSecretKeys(of: $0).word } ?? "key" }

    /// What it shows, and so what ends: at APNs a token or a certificate.
    private var expiryWord: String { HubKind(rawValue: kind) == .apns ? "good until" : "token ends" }

    /// While the hub has throttled lately: `37 posts per second, growing: hub replied 429`.
    private var slowedTo: String? {
        guard let speed, let speedWhy else { return nil }
        return "\(HumanFormat.rate(speed)) posts per second, growing: \(speedWhy)"
    }

    var json: JSONOutput {
        .object([
            "hub": .text(hub), "kind": .text(kind), "state": .text(state), "why": .text(why), "due": .number(due),
            "more_due": .flag(moreDue), "later": .number(later), "more_later": .flag(moreLater),
            "waiting": .decimal(waiting), "workers": .number(workers), "unserved_since": .text(unservedSince),
            "differing": .text(differing), "note": .text(note), "key": .text(key),
            "token_expires_at": .text(tokenExpiresAt), "gate_until": .text(gateUntil), "next_probe": .text(nextProbe),
            "window": .number(window), "in_flight": .number(inFlight), "answers_per_second": .decimal(answersPerSecond),
            "rate": .decimal(rate), "speed": .decimal(speed), "speed_why": .text(speedWhy),
            "devices": devices?.json ?? .null,
        ])
    }
}
