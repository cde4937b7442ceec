import CommandLineTool
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
        var table = TextTable(
            [
                .text("HUB"), .text("STATE"), .number("SENT/S"), .number("FAIL/S"), .number("RETRY/S"), .number("DUE"),
                .number("OLDEST"), .number("IN FLIGHT"), .text("KEY"), .prose("WHY"),
            ], widest: 20)
        for hub in overview.hubs {
            let rates = look.rates(of: hub.hub)
            table.add([
                hub.hub, hub.state, Self.rate(rates?.accepted), Self.rate(rates?.failed), Self.rate(rates?.retrying),
                hub.dueText, hub.waiting.map(HumanFormat.duration) ?? "-",
                hub.flight ?? "-", hub.key,
                hub.reasons,
            ])
        }
        return table.text(fitting: columns).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Nothing where nobody registers devices.
    private func devices(_ overview: SystemStatus) -> [String] {
        guard let table = overview.deviceTable(widest: 20) else { return [] }
        return table.text(fitting: columns).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            + [""]
    }

    private func workers(_ workers: [SystemStatus.Worker]) -> [String] {
        guard !workers.isEmpty else { return ["no worker is running: messages wait"] }
        var table = TextTable(
            [.number("WORKER"), .text("NAME"), .text("LAST BEAT"), .number("MESSAGES"), .prose("DOING")], widest: 30)
        for worker in workers {
            table.add([
                "\(worker.id)", worker.name, HumanFormat.duration(worker.lastBeat) + " ago", "\(worker.messages)",
                worker.doing,
            ])
        }
        return table.text(fitting: columns).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// What did not end well in the last hour, the most frequent first.
    private func failures(_ overview: SystemStatus) -> [String] {
        let bad = overview.lastHour.filter { ["rejected", "expired", "in_doubt"].contains($0.status) }
        guard !bad.isEmpty else { return [] }
        var table = TextTable([.text("FAILED, LAST HOUR"), .text("STATUS"), .text("REASON"), .number("RESULTS")])
        for count in bad.sorted(by: { $0.results > $1.results }) {
            table.add([count.hub, count.status, count.reason, "\(count.results)"])
        }
        return table.text(fitting: columns).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Whole numbers; a slow hub with one decimal.
    static func rate(_ perSecond: Double?) -> String {
        guard let perSecond else { return "-" }
        let tenths = Int((max(0, perSecond) * 10).rounded())
        return perSecond >= 10 || tenths % 10 == 0 ? "\((tenths + 5) / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
