import Concurrency
import Foundation
import HTTPTransport
import Logging
import PushModel
import PushWorker
import Signing
import Telemetry

/// Sends the spans of a worker to an OpenTelemetry collector: OTLP/HTTP with JSON, over a transport of its own with one
/// connection.
///
/// Nothing of the worker waits for it. What the collector does not take is dropped, and counted.
public struct SpanExporter: Sendable {
    /// Where the worker leaves its spans.
    public let sink: SpanSink
    private let settings: OTLPSettings
    private let client: HTTPClient
    private let headers: SharedHeaders
    private let clock: Clock
    private let log: Logger

    /// Seconds between two looks whether a batch is due.
    private static let tick = 0.1
    /// Seconds after the stop in which what is left may be sent.
    static let endSeconds = 2.0

    /// nil: no collector is set (`OTLPSettings`), or it cannot be used as it is set: then the log says why, and the worker
    /// works without spans. What only watches must not keep pushes from being sent.
    ///
    /// - Parameter metrics: counts the spans that were sent and dropped.
    public init?(
        _ environment: [String: String], metrics: MetricsRegistry, clock: Clock = .system, log: Logger
    ) {
        do throws(OTLPSettings.Problem) {
            guard let settings = try OTLPSettings.read(environment) else { return nil }
            self.settings = settings
            headers = try Self.headers(settings)
            client = try Self.client(settings)
        } catch {
            log.error("no spans are exported", metadata: ["problem": "\(error)", "hint": "\(error.hint)"])
            return nil
        }
        sink = SpanSink(metrics: metrics, monotonic: clock.monotonic)
        self.clock = clock
        self.log = log
    }

    /// Runs `body`, and exports meanwhile. At the end what is left is sent, within `endSeconds`; the rest is dropped.
    static func export<T>(by exporter: SpanExporter?, while body: () async throws -> T) async throws -> T {
        guard let exporter else { return try await body() }
        let over = Latch()
        let exporting = Task { await exporter.run(until: over) }
        return try await withCleanup(body) {
            over.happen()
            await exporting.value
        }
    }

    private func run(until over: Latch) async {
        let sending = Task { await send(until: over) }
        await over.wait()
        let alarm = Task {
            await Sleep.system(Self.endSeconds)  // less when all is sent
            sending.cancel()  // abandons the request that is on its way
        }
        await sending.value
        alarm.cancel()
        while case let left = sink.take(), !left.isEmpty { sink.ended(dropped: left.count) }
        await client.shutdown()
    }

    private func send(until over: Latch) async {
        var state = CollectorState()
        while !over.hasHappened {
            await over.wait(atMost: max(Self.tick, state.pause))
            while !over.hasHappened, sink.isDue {
                await sendBatch(&state)
                if state.pause > 0 { break }
            }
        }
        // A collector that fails is tried once more.
        repeat { await sendBatch(&state) } while state.pause == 0 && !sink.isEmpty && !Task.isCancelled
    }

    private func sendBatch(_ state: inout CollectorState) async {
        let spans = sink.take()
        guard !spans.isEmpty else { return }
        let body = OTLPDocument.bytes(
            spans, service: settings.service, version: fanfareVersion, instance: Worker.name)
        let reply = await client.perform(Request(url: settings.url, shared: headers, body: body))
        let answer = Answer(reply)
        let rejected = min(answer.rejected, spans.count)
        let isTaken = answer.fault == nil
        sink.ended(sent: isTaken ? spans.count - rejected : 0, dropped: isTaken ? rejected : spans.count)
        let change = state.answered(
            spans.count, fault: answer.fault, rejected: rejected, overflow: sink.takeOverflow(),
            retryAfter: answer.retryAfter, now: clock.monotonic())
        switch change {
        case .fails(let why):
            log.warning(
                "the collector does not take all spans; they are dropped",
                metadata: ["set_by": "\(settings.source)", "why": "\(SecretMask.masked(why))"])
        case .recovered(let seconds, let dropped):
            log.notice(
                "the collector takes all spans again",
                metadata: ["since_seconds": .stringConvertible(seconds), "dropped": .stringConvertible(dropped)])
        case nil: break
        }
    }

    /// What an answer of the collector means.
    struct Answer: Equatable {
        /// Why it did not take the batch; nil: it did.
        var fault: String?
        /// Spans that it refused of a batch that it took otherwise.
        var rejected = 0
        /// Seconds that it asks to wait.
        var retryAfter: Double?

        init(fault: String? = nil, rejected: Int = 0, retryAfter: Double? = nil) {
            (self.fault, self.rejected, self.retryAfter) = (fault, rejected, retryAfter)
        }

        init(_ reply: Reply) {
            switch reply.outcome {
            case .answered(let response) where (200..<300).contains(response.status):
                rejected = OTLPAnswer.rejectedSpans(in: response.body)
            case .answered(let response):
                fault = "it answered \(response.status)"
                retryAfter = response["retry-after"].flatMap { Int($0) }.map(Double.init)
            case .notSent(let fault), .unknown(let fault): self.fault = fault.text
            }
        }
    }

    // MARK: Settings

    private static func headers(_ settings: OTLPSettings) throws(OTLPSettings.Problem) -> SharedHeaders {
        do throws(HeaderError) {
            var lines = [try HeaderLine("Content-Type", "application/json")]
            for (name, value) in settings.headers { lines.append(try HeaderLine(name, value.reveal())) }
            return SharedHeaders(lines)
        } catch {
            throw OTLPSettings.Problem(
                "OTEL_EXPORTER_OTLP_HEADERS", "cannot be sent: \(error)", hint: "Write name=value,name=value.")
        }
    }

    /// Headers are mostly keys, so with them plain text stays on this machine. Spans alone may cross a network that the
    /// operator trusts: most collectors in a cluster have no TLS.
    private static func client(_ otlp: OTLPSettings) throws(OTLPSettings.Problem) -> HTTPClient {
        var transport = TransportSettings()
        transport.slots = 1
        transport.timeout = .seconds(10)  // as the specification has it
        transport.caBundle = otlp.certificate
        transport.userAgent = "fanfare/\(fanfareVersion)"
        transport.allowPlainHTTPAnywhere = otlp.headers.isEmpty
        if let refusal = transport.refusal(of: otlp.url) {
            throw OTLPSettings.Problem(
                otlp.source, "is refused: \(refusal)",
                hint: otlp.headers.isEmpty
                    ? "Set a URL such as http://127.0.0.1:4318."
                    : "Headers may be keys: use https://, or a collector on this machine, or leave the headers out.")
        }
        do throws(TransportError) {
            return try HTTPClient(transport)
        } catch {
            let variable = otlp.certificate == nil ? otlp.source : "OTEL_EXPORTER_OTLP_CERTIFICATE"
            throw OTLPSettings.Problem(
                variable, "cannot be used: \(error)", hint: "Look at the file that is named, or at the limits.")
        }
    }
}
