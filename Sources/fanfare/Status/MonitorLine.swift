import CommandLineTool
import PushModel
import Signing
import Store

/// One line as monitors read it from a plugin, and the exit status that goes with it. Pure, but for `say`.
struct MonitorLine {
    /// By the exit status that monitors know.
    enum State: Int32 {
        case ok, warning, critical, unknown
    }

    var state: State
    /// Without what a monitor takes for the beginning of figures.
    var line: String
    /// nil: the check itself failed.
    var report: MonitorReport?

    init(_ report: MonitorReport) {
        state = State(rawValue: report.code) ?? .unknown
        line = report.line.onOneLine
        self.report = report
    }

    /// When nothing could be found out. Without a database nothing can be sent; all else concerns the check itself.
    init(_ failure: Failure) {
        switch failure.status {
        case .unavailable, .tryLater: state = .critical
        default: state = .unknown
        }
        let reasons = failure.complaints.map { complaint in
            "\(complaint.what): \(complaint.why)" + (complaint.hint.map { " (\($0))" } ?? "")
        }
        let text = SecretMask.masked(reasons.joined(separator: "; ")).onOneLine.replacing(scalars: "|", with: " ")
        line = "FANFARE \(state == .critical ? "CRITICAL" : "UNKNOWN"): \(text)"
    }

    var text: String {
        // Without figures when a table cannot even be read.
        guard let perfdata = report?.perfdata, !perfdata.isEmpty else { return line }
        return "\(line) | \(perfdata)"
    }

    var json: JSONOutput {
        .object([
            "code": .number(state.rawValue), "state": .text("\(state)"), "line": .text(line),
            "perfdata": .text(report?.perfdata), "findings": .list(report?.findings.map(JSONOutput.text) ?? []),
            "hubs": .number(report?.hubs), "due": .number(report?.due), "oldest_seconds": .decimal(report?.oldest),
            "in_doubt": .number(report?.inDoubt), "failed_percent": .decimal(report?.failed),
            "workers": .number(report?.workers),
        ])
    }

    /// Prints why nothing could be found out.
    ///
    /// - Returns: the exit status.
    static func say(_ failure: Failure, asJSON: Bool) -> Int32 {
        let line = MonitorLine(failure)
        // A monitor that does not read the text uses the exit status.
        try? StandardStreams.print(asJSON ? line.json.document : line.text)
        return line.state.rawValue
    }
}
