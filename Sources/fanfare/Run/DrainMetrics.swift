import Files
import PushWorker
import Telemetry

/// `--metrics-file`: what a drain counted, for the textfile collector of Prometheus' node_exporter.
///
/// Written once, at the end, also when the drain failed. node_exporter has `process_…` metrics of its own and refuses a
/// second one of the same name, so the file has none.
struct DrainMetrics {
    let registry = MetricsRegistry()
    private let path: String
    /// Monotonic seconds.
    private let began: Double
    private let clock: Clock

    /// - Parameter path: ends with `.prom`; node_exporter reads no other files.
    init(_ path: String, clock: Clock = .system) {
        (self.path, self.clock) = (path, clock)
        began = clock.monotonic()
    }

    /// Replaces the file as a whole, and lets everybody read it: node_exporter runs as a user of its own.
    ///
    /// - Parameters:
    ///   - isDone: whether the drain ends with 0. If not, the file keeps the time of the last one that did.
    ///   - left: messages that are left; nil: nobody could count them.
    /// - Throws: `FileFault`; the old file is then untouched.
    func write(isDone: Bool, left: Int64?) throws(FileFault) {
        let now = clock.monotonic()
        var reading = registry.reading(now: now)
        reading.set(now - began, of: .drainDuration)
        if let left { reading.set(Double(left), of: .drainLeft) }
        if let success = isDone ? clock.wall() : lastSuccess { reading.set(success, of: .drainLastSuccess) }
        let file = try AtomicFile(path, mode: 0o644)
        try file.append(MetricsText.page(of: reading, in: .prometheus))
        try file.commit(isDurable: false)
    }

    /// From the file of an earlier drain; nil: no such file, or the time is not in it.
    private var lastSuccess: Double? {
        // The loss is meant: without the file there was no success that we know of.
        guard let bytes = try? BoundedFile.bytes(of: path, limit: 16_777_216) else { return nil }
        return Self.value(of: MetricFamily.drainLastSuccess.name, in: String(decoding: bytes, as: UTF8.self))
    }

    /// The value of a metric without labels. nil: it is not there, or is no number. Pure.
    static func value(of name: String, in page: String) -> Double? {
        let line = page.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Double($0.dropFirst(name.count + 1)) }.flatMap { $0.isFinite ? $0 : nil }
    }
}
