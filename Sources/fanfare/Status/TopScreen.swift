import CommandLineTool
import PushModel
import Store

/// A look as lines of a screen: the most important first, cut to its size. Pure.
struct TopScreen {
    var columns: Int
    var rows: Int

    /// At most `rows` lines of at most `columns` characters.
    func lines(of look: TopSnapshot, title: String) -> [String] {
        var lines = [title, ""]
        lines += hubs(look)
        lines.append("")
        lines += devices(look.overview)
        lines += workers(look.overview.workers)
        let ends = failures(look.overview)
        if !ends.isEmpty { lines += [""] + ends }
        return lines.prefix(rows).map { String($0.prefix(columns)) }
    }

    private func hubs(_ look: TopSnapshot) -> [String] {
        let overview = look.overview
        guard !overview.hubs.isEmpty else { return ["no hub is registered: fanfare migrate up"] }
        // A screen has no room for what all hubs have in common; a column without a value is left out.
        let namesKinds = overview.hubs.contains { $0.kind != overview.hubs[0].kind }
        let rows = overview.hubs.map { hub in
            let rates = look.rates(of: hub.hub)
            return [
                hub.hub, namesKinds ? hub.kind : nil, hub.state, Self.rate(rates?.accepted), Self.rate(rates?.failed),
                Self.rate(rates?.retrying),
                hub.dueText, hub.waiting.map(HumanFormat.duration) ?? "-", hub.flight ?? "-", hub.key, hub.reasons,
            ]
        }
        return lines(
            of: TextTable(
                [
                    .text("HUB"), .text("KIND"), .text("STATE"), .number("SENT/S"), .number("FAIL/S"),
                    .number("RETRY/S"), .number("DUE"), .number("OLDEST"), .number("IN FLIGHT"), .text("KEY"),
                    .prose("WHY"),
                ], widest: 20, rows: rows))
    }

    private func lines(of table: TextTable) -> [String] {
        table.text(fitting: columns).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Nothing where nobody registers devices.
    private func devices(_ overview: SystemStatus) -> [String] {
        overview.deviceTable(widest: 20).map { lines(of: $0) + [""] } ?? []
    }

    private func workers(_ workers: [SystemStatus.Worker]) -> [String] {
        guard !workers.isEmpty else { return ["no worker is running: messages wait"] }
        let rows = workers.map {
            ["\($0.id)", $0.name, HumanFormat.duration($0.lastBeat) + " ago", "\($0.messages)", $0.doing]
        }
        return lines(
            of: TextTable(
                [.number("WORKER"), .text("NAME"), .text("LAST BEAT"), .number("MESSAGES"), .prose("DOING")],
                widest: 30, rows: rows))
    }

    /// What did not end well in the last hour, the most frequent first.
    private func failures(_ overview: SystemStatus) -> [String] {
        let bad = overview.lastHour.filter { ["rejected", "expired", "in_doubt"].contains($0.status) }
        if bad.isEmpty { return [] }
        return lines(
            of: TextTable(
                [.text("FAILED, LAST HOUR"), .text("STATUS"), .text("REASON"), .number("RESULTS")],
                rows: bad.sorted { $0.results > $1.results }.map { [$0.hub, $0.status, $0.reason, "\($0.results)"] }))
    }

    /// `-`: not known.
    static func rate(_ perSecond: Double?) -> String { perSecond.map(HumanFormat.rate) ?? "-" }
}
