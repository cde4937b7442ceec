import Signing
import Testing

@testable import Telemetry

/// The variables of the OpenTelemetry specification.
@Suite struct OTLPSettingsTests {
    private static let all = "OTEL_EXPORTER_OTLP_ENDPOINT"
    private static let traces = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"

    @Test(arguments: [
        ([all: "http://c:4318"], "http://c:4318/v1/traces"), ([all: "http://c:4318/"], "http://c:4318/v1/traces"),
        ([all: "https://c/otlp"], "https://c/otlp/v1/traces"),
        ([traces: "https://c/as-it-is?x=1"], "https://c/as-it-is?x=1"),
        ([all: "http://a", traces: "http://b/t"], "http://b/t"), ([all: "http://a", traces: ""], "http://a/v1/traces"),
        ([all: "http://a", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"], "http://a/v1/traces"),
        (
            [
                all: "http://a", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
                "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json",
            ], "http://a/v1/traces"
        ),
        ([all: "http://a", "OTEL_SDK_DISABLED": "false", "OTEL_TRACES_EXPORTER": "otlp"], "http://a/v1/traces"),
    ])
    func theURLIsThatOfTraces(environment: [String: String], url: String) throws {
        #expect(try OTLPSettings.read(environment)?.url == url)
    }

    @Test(arguments: [
        [:], [all: ""], [all: "http://a", "OTEL_SDK_DISABLED": "true"],
        [traces: "http://a", "OTEL_SDK_DISABLED": "True"],
        [all: "http://a", "OTEL_TRACES_EXPORTER": "none"], ["OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"],
        ["OTEL_EXPORTER_OTLP_HEADERS": "nonsense"],
    ])
    func withoutAnEndpointOrSwitchedOffThereAreNone(environment: [String: String]) throws {
        #expect(try OTLPSettings.read(environment) == nil)
    }

    @Test func headersAreReadAsBaggage() throws {
        let name = "OTEL_EXPORTER_OTLP_HEADERS"
        let settings = try #require(
            try OTLPSettings.read([Self.all: "https://a", name: "api-key = a%20b%3D=c , ,Authorization=Basic%20eA=="]))
        #expect(settings.headers.map(\.name) == ["api-key", "Authorization"])
        #expect(settings.headers.map { $0.value.reveal() } == ["a b==c", "Basic eA=="])
        #expect(!"\(settings)".contains("Basic"))
        let own = "OTEL_EXPORTER_OTLP_TRACES_HEADERS"
        #expect(try OTLPSettings.read([Self.all: "https://a", name: "a=1", own: "b=2"])?.headers.map(\.name) == ["b"])
        #expect(try OTLPSettings.read([Self.all: "https://a", name: ""])?.headers.isEmpty == true)
    }

    @Test func theServiceIsNamed() throws {
        #expect(try OTLPSettings.read([Self.all: "http://a"])?.service == "fanfare")
        let named = try OTLPSettings.read([
            Self.all: "http://a", "OTEL_SERVICE_NAME": "push-eu", "OTEL_EXPORTER_OTLP_CERTIFICATE": "/ca.pem",
        ])
        #expect(named?.service == "push-eu" && named?.certificate == "/ca.pem" && named?.source == Self.all)
    }

    @Test(arguments: [
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a=1,hunter2"), ("OTEL_EXPORTER_OTLP_HEADERS", "a=hunter2%zz"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "=hunter2"), (all, "https://a?key=hunter2"),
    ])
    func whatCannotBeUsedIsNamedAndNotShown(variable: String, value: String) throws {
        let problem = try #require(throws: OTLPSettings.Problem.self) {
            try OTLPSettings.read([Self.all: "https://a"].merging([variable: value]) { $1 })
        }
        #expect(problem.variable == variable && !problem.hint.isEmpty)
        #expect(!"\(problem) \(problem.hint)".contains("hunter2"))
    }
}
