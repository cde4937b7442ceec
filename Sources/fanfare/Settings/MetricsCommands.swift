import ArgumentParser
import CommandLineTool
import Telemetry

/// `fanfare metric`: what `/metrics` exposes.
struct MetricsCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metric", abstract: "What a worker reports to Prometheus.",
        discussion: """
            A worker serves its metrics at console.listen and console.metrics, for example: \
            curl http://127.0.0.1:9464/metrics. Beyond the loopback it asks for console.metricsToken. A drain writes \
            them to a file: fanfare drain --metrics-file.

            Example: fanfare metric reference
            """,
        subcommands: [PrintMetricsReference.self])
}

/// `fanfare metric reference`
struct PrintMetricsReference: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reference",
        abstract: "Print docs/metrics.md: every metric, its type, labels and meaning.",
        discussion: """
            Reads no settings.

            Example: fanfare metric reference | less
            """)

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func run() throws {
        try StandardStreams.print(MetricsReference(MetricFamily.all).text)
    }
}

/// docs/metrics.md. Pure.
struct MetricsReference {
    let families: [MetricFamily]

    init(_ families: [MetricFamily]) { self.families = families }

    var text: String {
        """
        # Metrics

        Made by `bin/generate` from the program: `fanfare metric reference` prints it.

        `fanfare run` serves them at `/metrics` on the addresses of `console.listen`, beside the health pages, and of
        `console.metrics`, where nothing else is: in Prometheus' text format 0.0.4, or in OpenMetrics 1.0 for a client that
        accepts it. An address beyond the loopback needs `console.metricsToken` ([operations](operations.md#start-stop-reload)).
        `fanfare drain --metrics-file` writes them to a file at its end, without those of the process. A request asks the
        database nothing. Counters begin with 0 when the process starts and go on over reloads; the series of a
        hub that left the settings end after five minutes. A histogram is there from its first value on, a counter with
        several labels from its first count.

        ```sh
        curl --silent http://127.0.0.1:9464/metrics | grep fanfare_messages_total
        ```

        No label has a tag, a locale, a handle, a tenant or the id of a message.

        Libraries within the program that count with swift-metrics are shown on the same page, under the names that they give:
        `_` replaces what Prometheus does not take, a counter ends with `_total`, and a timer, in seconds, with `_seconds`.
        They get at most 100 series of a name and 1,000 in all, and no name of another metric. What is beyond is dropped: the
        log says so once for each name, and `fanfare_library_metrics_dropped_total` counts these names.

        | metric | type | labels | meaning |
        |---|---|---|---|
        \(families.map(row).joined(separator: "\n"))

        """
    }

    private func row(_ family: MetricFamily) -> String {
        let labels = family.labels.isEmpty ? "" : family.labels.map { "`\($0)`" }.joined(separator: ", ")
        return "| `\(family.name)` | \(type(of: family)) | \(labels) | \(family.help) |"
    }

    private func type(of family: MetricFamily) -> String {
        switch family.kind {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram(let bounds): "histogram, \(bounds.first ?? 0) to \(bounds.last ?? 0)"
        }
    }
}
