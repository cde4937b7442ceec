import ArgumentParser

/// A command that ends with one report. What it shares with all others stands here: its options, its output, its end.
package protocol ReportingCommand: AsyncParsableCommand {
    var options: ReportOptions { get }

    /// Does the work. Prints nothing to standard output.
    func report() async throws -> Report
}

extension ReportingCommand {
    package func run() async throws {
        let report = try await report()
        try options.show(report)
        try options.leave(after: report)
    }
}

/// The options of every command that reports.
package struct ReportOptions: ParsableArguments {
    @OptionGroup(title: CommonOptions.title) package var common: CommandOptions
    @OptionGroup package var json: JSONOption

    package init() {}

    /// Prints the report in the form that was asked for.
    ///
    /// - Parameter isLine: its JSON is one line, of documents that follow each other.
    package func show(_ report: Report, asLine isLine: Bool = false) throws {
        let document = { isLine ? report.json.line : report.json.document }
        let text = json.isOn ? document() : report.text(fitting: StandardStreams.width)
        if !text.isEmpty, !report.isQuiet {
            if report.isStyled, !json.isOn {
                try StandardStreams.printStyled(text)
            } else {
                try StandardStreams.print(text)
            }
        }
        if let remark = json.isOn ? report.remarks.json : report.remarks.text { StandardStreams.printError(remark) }
    }

    /// - Throws: what ends the command as the report says; nothing: it is a success.
    package func leave(after report: Report) throws {
        if let failure = report.failure {
            throw json.isOn && !report.failsAloud ? ExitCode(failure.status.rawValue) : failure
        }
        if report.status != .ok { throw ExitCode(report.status.rawValue) }
    }
}
