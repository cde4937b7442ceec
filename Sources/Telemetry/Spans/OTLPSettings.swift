import Foundation
public import Signing

/// Where spans go, by the variables of the OpenTelemetry specification ("OpenTelemetry Protocol Exporter"). Each has a form
/// for traces alone, with `OTLP_TRACES` instead of `OTLP`, which wins. A variable that is set to nothing counts as not set.
public struct OTLPSettings: Sendable {
    /// What takes the spans.
    public let url: String
    /// Names and values of header lines of each request. Values may be keys.
    public let headers: [(name: String, value: Secret)]
    /// `service.name`. Default: `fanfare`.
    public let service: String
    /// File of trusted certificates in PEM form. nil: those of the system.
    public let certificate: String?
    /// The variable that the URL comes from.
    public let source: String

    /// Why no spans are sent although an endpoint is set.
    public struct Problem: Error, Equatable, CustomStringConvertible {
        public let variable: String
        /// Never holds the value of an endpoint or a header.
        public let text: String
        public let hint: String
        public var description: String { "\(variable) \(text)" }

        public init(_ variable: String, _ text: String, hint: String) {
            (self.variable, self.text, self.hint) = (variable, text, hint)
        }
    }

    private static let prefix = "OTEL_EXPORTER_OTLP_"

    /// - Returns: nil: no endpoint is set, or `OTEL_SDK_DISABLED` is `true`, or `OTEL_TRACES_EXPORTER` is `none`.
    public static func read(_ environment: [String: String]) throws(Problem) -> OTLPSettings? {
        func own(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        func value(_ name: String) -> (name: String, text: String)? {
            ["\(prefix)TRACES_\(name)", "\(prefix)\(name)"].lazy.compactMap { name in own(name).map { (name, $0) } }
                .first
        }
        guard own("OTEL_SDK_DISABLED")?.lowercased() != "true", own("OTEL_TRACES_EXPORTER") != "none",
            let endpoint = value("ENDPOINT")
        else { return nil }
        if let asked = value("PROTOCOL"), asked.text != "http/json" {
            throw Problem(
                asked.name, "is not http/json, the only protocol that Fanfare speaks",
                hint: "Set it to http/json; collectors take that at the port of http/protobuf, mostly 4318.")
        }
        let given = value("HEADERS")
        let service = own("OTEL_SERVICE_NAME") ?? "fanfare"
        return OTLPSettings(
            url: try url(endpoint.text, of: endpoint.name), headers: try given.map(headers) ?? [], service: service,
            certificate: value("CERTIFICATE")?.text, source: endpoint.name)
    }

    /// The endpoint for traces as it is; `/v1/traces` under the one for everything.
    private static func url(_ text: String, of variable: String) throws(Problem) -> String {
        guard variable == prefix + "ENDPOINT" else { return text }
        guard !text.contains("?"), !text.contains("#") else {
            throw Problem(
                variable, "has a query, so no path can be added to it",
                hint: "Set OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, which is used as it is.")
        }
        return (text.hasSuffix("/") ? String(text.dropLast()) : text) + "/v1/traces"
    }

    /// `name=value,name=value`, values percent-encoded (W3C Baggage, without properties).
    private static func headers(
        _ given: (name: String, text: String)
    ) throws(Problem) -> [(name: String, value: Secret)] {
        var headers: [(name: String, value: Secret)] = []
        for (place, part) in given.text.split(separator: ",").enumerated() {
            let line = part.trimmingCharacters(in: .whitespaces)
            if line.isEmpty { continue }
            let halves = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard halves.count == 2, let value = halves[1].removingPercentEncoding else {
                throw Problem(
                    given.name, "has no name=value at place \(place + 1)",
                    hint: "Write name=value,name=value, and other characters than letters and digits as %20.")
            }
            headers.append((halves[0], Secret(value)))
        }
        return headers
    }
}
