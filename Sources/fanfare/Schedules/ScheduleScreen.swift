import Campaigns
import CommandLineTool

extension Report {
    init(_ preview: SchedulePreview) {
        self.init(fitting: { ScheduleScreen.text(preview, fitting: $0) }, ScheduleScreen.json(preview))
    }
}

/// How a schedule is shown. Pure.
private enum ScheduleScreen {
    /// Words, cron line, the times in the zone and in UTC, remarks.
    static func text(_ preview: SchedulePreview, fitting width: Int?) -> String {
        let hasSkipped = preview.times.contains { $0.skipped != nil }
        let table = TextTable(
            [.id("IN THE ZONE"), .id("UTC")] + (hasSkipped ? [.prose("NOTE")] : []),
            rows: preview.times.map { time in
                [time.shown, time.utc] + (hasSkipped ? [time.skipped.map { "the clocks skip \($0)" }] : [])
            })
        let remarks = preview.remarks.isEmpty ? "" : "\n\n" + preview.remarks.joined(separator: "\n")
        return "\(preview.words)\ncron: \(preview.line)\n\n\(table.text(fitting: width))\(remarks)"
    }

    static func json(_ preview: SchedulePreview) -> JSONOutput {
        .object([
            "words": .text(preview.words), "cron": .text(preview.line.description), "zone": .text(preview.zone),
            "times": .list(
                preview.times.map {
                    .object([
                        "local": .text($0.local), "utc": .text($0.utc), "abbreviation": .text($0.kind.abbreviation),
                        "skipped": .text($0.skipped),
                    ])
                }),
            "remarks": .list(preview.remarks.map { .text($0) }),
        ])
    }
}
