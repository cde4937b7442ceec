import Foundation
import ProgramSupport
import Synchronization
import TestSupport
import Testing

/// Spans of the real program, as a collector gets them and as OpenTelemetry's own library reads them.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SpanTests {
    private static let one = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    /// A span as opentelemetry-proto has it; its ids are in hex again.
    private struct Span: Decodable {
        struct Link: Decodable { let trace: String }
        let name: String
        let trace: String
        let id: String
        let parent: String
        let links: [Link]
        let kind: String
        let failed: Bool
        let seconds: Double
        let service: String
        let attributes: [String: String]
    }

    /// Reads what a collector was sent. Unknown members and wrong types are errors there.
    private static func spans(in requests: [ScriptedHub.Request]) async throws -> [Span] {
        let program = """
            import base64, json, sys
            from google.protobuf.json_format import ParseDict
            from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest as Request
            from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

            def in_base64(value):
                # Protobuf's own JSON has bytes in base64; OTLP has ids in hex instead.
                if isinstance(value, list):
                    return [in_base64(each) for each in value]
                if not isinstance(value, dict):
                    return value
                ids = ("traceId", "spanId", "parentSpanId")
                return {name: base64.b64encode(bytes.fromhex(each)).decode() if name in ids else in_base64(each)
                        for name, each in value.items()}

            found = []
            for line in sys.stdin:
                for resource in ParseDict(in_base64(json.loads(line)), Request()).resource_spans:
                    of = {each.key: each.value.string_value for each in resource.resource.attributes}
                    for span in (span for scope in resource.scope_spans for span in scope.spans):
                        assert len(span.trace_id) == 16 and len(span.span_id) == 8, span
                        found.append({
                            "name": span.name, "trace": span.trace_id.hex(), "id": span.span_id.hex(),
                            "parent": span.parent_span_id.hex(), "kind": Span.SpanKind.Name(span.kind),
                            "links": [{"trace": link.trace_id.hex()} for link in span.links],
                            "failed": span.status.code == Status.STATUS_CODE_ERROR,
                            "seconds": (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9,
                            "service": of["service.name"] + " " + of["service.instance.id"].split("/")[1],
                            "attributes": {each.key: str(getattr(each.value, each.value.WhichOneof("value")))
                                           for each in span.attributes}})
            print(json.dumps(found))
            """
        let ended = try await Tool.readers(["-c", program], input: requests.map { $0.body + "\n" }.joined())
        try #require(ended.status == 0, "\(ended)")
        return try JSONDecoder().decode([Span].self, from: Data(ended.output.utf8))
    }

    private static func endpoint(of collector: ScriptedHub) throws -> String {
        String(try #require(collector.connection.firstMatch(of: /Endpoint=(http:[^;]+)/)).1)
    }

    /// A database with its schema, and the program with this environment.
    private static func site(
        _ hub: ScriptedHub, _ environment: [String: String]
    ) async throws -> (test: TestDatabase, fanfare: BuiltProgram) {
        let test = try await TestDatabase.make()
        var fanfare = hub.fanfare
        fanfare.environment = ["FANFARE_DATABASE_URL": test.conninfo].merging(environment) { $1 }
        #expect(try await fanfare("migrate", "up").status == 0)
        return (test, fanfare)
    }

    private static func count(_ text: String, in log: String) -> Int { log.components(separatedBy: text).count - 1 }

    private static let accept: @Sendable (ScriptedHub.Request, Int) -> ScriptedHub.Answer = { _, _ in .init(status: 201)
    }
    private static let take: @Sendable (ScriptedHub.Request, Int) -> ScriptedHub.Answer = { _, _ in
        .init(status: 200, headers: ["Content-Type: application/json"], body: "{}")
    }

    @Test(.enabled(if: Tool.readers.isExpected, Tool.advice))
    func eachStepIsASpanAndTheHubIsToldThatOfThePost() async throws {
        try await ScriptedHub.run(Self.accept) { hub in
            try await ScriptedHub.run(Self.take) { collector in
                let (test, fanfare) = try await Self.site(
                    hub,
                    [
                        "OTEL_EXPORTER_OTLP_ENDPOINT": try Self.endpoint(of: collector),
                        "OTEL_EXPORTER_OTLP_HEADERS": "x-api-key=hunter2", "OTEL_SERVICE_NAME": "push-test",
                    ])
                try await test.database.execute(
                    "INSERT INTO push.message (hub, tag, content, traceparent) VALUES ('news', 'a', '{}', \(Self.one))")
                let ended = try await fanfare("drain", "--log-level", "debug")
                #expect(ended.status == 0 && ended.output.contains("1 accepted"), "\(ended)")
                #expect(!collector.requests.isEmpty)
                for request in collector.requests {
                    #expect(request.method == "POST" && request.target == "/v1/traces")
                    let headers = request.headers.map { $0.lowercased() }
                    #expect(
                        headers.contains("content-type: application/json") && headers.contains("x-api-key: hunter2"))
                }
                let spans = try await Self.spans(in: collector.requests)
                #expect(Set(spans.map(\.name)) == ["claim", "intent", "post", "complete"])
                #expect(
                    spans.allSatisfy { $0.kind == "SPAN_KIND_CLIENT" && !$0.failed && (0..<100).contains($0.seconds) })
                #expect(Set(spans.map(\.service)).count == 1 && spans[0].service.hasPrefix("push-test "))
                let (claim, intent) = (spans.first { $0.name == "claim" }, spans.first { $0.name == "intent" })
                #expect(claim?.parent == "" && intent?.parent == claim?.id && intent?.trace == claim?.trace)
                let post = try #require(spans.first { $0.name == "post" })
                #expect(post.trace == "0af7651916cd43dd8448eb211c80319c" && post.parent == "b7ad6b7169203331")
                #expect(post.links.map(\.trace) == [claim?.trace])
                #expect(
                    post.attributes["http.response.status_code"] == "201" && post.attributes["fanfare.hub"] == "news")
                let header = hub.requests.flatMap(\.headers).filter { $0.lowercased().hasPrefix("traceparent:") }
                #expect(header == ["traceparent: 00-\(post.trace)-\(post.id)-01"])
            }
        }
    }

    @Test func withoutACollectorNothingIsSentAndTheHeaderIsThatOfTheRow() async throws {
        try await ScriptedHub.run(Self.accept) { hub in
            try await ScriptedHub.run(Self.take) { collector in
                let (test, fanfare) = try await Self.site(
                    hub,
                    ["OTEL_EXPORTER_OTLP_ENDPOINT": try Self.endpoint(of: collector), "OTEL_SDK_DISABLED": "true"])
                try await test.database.execute(
                    "INSERT INTO push.message (hub, tag, content, traceparent) VALUES ('news', 'a', '{}', \(Self.one))")
                #expect(try await fanfare("drain").status == 0)
                #expect(collector.requests.isEmpty)
                #expect(hub.requests.flatMap(\.headers).contains("traceparent: \(Self.one)"))
            }
        }
    }

    /// One that answers 503, one that answers rubbish in HTML with 404, one that is not there, one that never answers.
    @Test(arguments: ["503", "404", "away", "silent"])
    func aCollectorInTroubleIsToldOnceAndHoldsNothingUp(trouble: String) async throws {
        let isOver = Mutex(false)
        let answer: @Sendable (ScriptedHub.Request, Int) -> ScriptedHub.Answer = { _, _ in
            while trouble == "silent", !isOver.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.01) }
            return .init(status: Int(trouble) ?? 200, headers: ["Retry-After: 0"], body: "<html>no {")
        }
        try await ScriptedHub.run(Self.accept) { hub in
            try await ScriptedHub.run(answer) { collector in
                defer { isOver.withLock { $0 = true } }
                let endpoint = try trouble == "away" ? "http://127.0.0.1:1" : Self.endpoint(of: collector)
                let (test, fanfare) = try await Self.site(hub, ["OTEL_EXPORTER_OTLP_ENDPOINT": endpoint])
                try await test.database.execute(
                    """
                    INSERT INTO push.message (hub, tag, content)
                    SELECT 'news', 'a' || n, json_build_object('message', 'no ' || n) FROM generate_series(1, 1500) n
                    """)
                let scratch = try ScratchDirectory()
                let began = ContinuousClock.now
                let ended = try await fanfare("drain", "--metrics-file", scratch.path + "/drain.prom")
                #expect(ended.status == 0 && ended.output.contains("1500 accepted"), "\(ended)")
                // With its own ten seconds for each request a batch after the other would take longer.
                #expect(ContinuousClock.now - began < .seconds(60))
                let message = "the collector does not take all spans; they are dropped"
                #expect(Self.count(message, in: ended.errors) == 1, "\(ended.errors)")
                let page = try scratch.read("drain.prom")
                let dropped = try #require(page.firstMatch(of: /\nfanfare_spans_dropped_total ([0-9]+)\n/), "\(page)")
                #expect((Int(dropped.1) ?? 0) > 1500 && page.contains("\nfanfare_spans_sent_total 0\n"))
            }
        }
    }

    @Test(arguments: [
        (["OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"], "is not http/json"),
        (
            [
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.invalid:4318",
                "OTEL_EXPORTER_OTLP_HEADERS": "x-api-key=hunter2",
            ], "http:// is for loopback addresses only"
        ),
        (["OTEL_EXPORTER_OTLP_CERTIFICATE": "/nowhere/ca.pem"], "cannot read caBundle /nowhere/ca.pem"),
        (["OTEL_EXPORTER_OTLP_HEADERS": "x-api-key=hunter2%0AHost:x"], "value of header x-api-key has byte 0x0A"),
        (
            ["OTEL_EXPORTER_OTLP_ENDPOINT": "https://user:hunter2@collector.invalid"],
            "a user name or password is refused"
        ),
    ])
    func whatCannotBeUsedIsSaidAndMessagesFlow(environment: [String: String], problem: String) async throws {
        try await ScriptedHub.run(Self.accept) { hub in
            let (test, fanfare) = try await Self.site(
                hub, ["OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector.invalid"].merging(environment) { $1 })
            try await test.database.execute("INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', '{}')")
            let ended = try await fanfare("drain")
            #expect(ended.status == 0 && ended.output.contains("1 accepted"), "\(ended)")
            #expect(
                Self.count("no spans are exported", in: ended.errors) == 1 && ended.errors.contains(problem), "\(ended)"
            )
        }
    }

    /// Also after a reload, and what waits when it is told to stop.
    @Test(.enabled(if: Tool.readers.isExpected, Tool.advice))
    func aWorkerSendsWhatIsLeftWhenItStops() async throws {
        let service = try await ServiceBench()
        try await ScriptedHub.run(Self.take) { collector in
            let run = try await service.start(with: [
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": try Self.endpoint(of: collector) + "own/path"
            ])
            try await service.enqueue(1...50)
            try await service.until("SELECT count(*) FROM push.result") { $0 == 50 }
            try service.configure(hub: "new")
            await service.reload(run)
            try await service.enqueue(51...100)
            try await service.until("SELECT count(*) FROM push.result") { $0 == 100 }
            run.signal(SIGTERM)
            #expect(await run.ended == 0)
            #expect(collector.requests.allSatisfy { $0.target == "/own/path" })
            let posts = try await Self.spans(in: collector.requests).filter { $0.name == "post" }
            #expect(posts.count == 100 && Set(posts.map(\.id)).count == 100)
            #expect(posts.allSatisfy { $0.service.hasPrefix("fanfare ") && $0.parent != "" })
        }
    }
}
