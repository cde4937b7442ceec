import HTTPTypes
import Telemetry

/// One request for a health page or the metrics, and what goes back. Pure.
struct HealthPage {
    var status: HTTPResponse.Status
    var type = "text/plain; charset=utf-8"
    var body: [UInt8]
    /// Whether the client may ask again over the same connection.
    var keepsConnection = false
    /// The `Allow` header of a refused method.
    var allow: String?

    /// - Parameters:
    ///   - isLoopback: whether we listen on loopback only; then a request for another host comes from a browser that a
    ///     foreign page has sent here.
    ///   - metrics: makes the page of metrics; nil: there is none here.
    ///   - report: makes the report that is asked for.
    init(
        _ request: HTTPRequest, isLoopback: Bool, metrics: ((MetricsText.Format) -> [UInt8])? = nil,
        report: (HealthProbe) -> HealthReport
    ) {
        let parts = (request.path ?? "").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.count > 1 ? parts[1].split(separator: "&") : []
        if isLoopback, let host = request.authority, !Self.isLoopback(host) {
            self.init(status: .forbidden, body: "this address is for requests to localhost\n")
        } else if request.method != .get && request.method != .head {
            self.init(status: .methodNotAllowed, body: "only GET and HEAD\n", allow: "GET, HEAD")
        } else if Self.hasBody(request) {
            self.init(status: .contentTooLarge, body: "a request has no body here\n")
        } else if let probe = HealthProbe(rawValue: String((parts.first ?? "").dropFirst())) {
            self.init(report(probe), isVerbose: query.contains { $0 == "verbose" || $0.hasPrefix("verbose=") })
        } else if parts.first == "/metrics", let metrics {
            self.init(metrics, for: request)
        } else {
            let pages = HealthProbe.allCases.map { "/\($0.rawValue)" }.joined(separator: ", ")
            self.init(
                status: .notFound,
                body: "the pages are \(pages), each takes ?verbose\(metrics == nil ? "" : ", and /metrics")\n")
        }
    }

    private init(_ metrics: (MetricsText.Format) -> [UInt8], for request: HTTPRequest) {
        let format = MetricsText.Format(accept: request.headerFields[.accept])
        status = .ok
        type = format.contentType
        body = metrics(format)
        keepsConnection = true
    }

    private init(status: HTTPResponse.Status, body: String, allow: String? = nil) {
        self.status = status
        self.body = Array(body.utf8)
        self.allow = allow
    }

    private init(_ report: HealthReport, isVerbose: Bool) {
        status = report.isGood ? .ok : .serviceUnavailable
        if isVerbose {
            type = "application/json; charset=utf-8"
            body = Array(Self.document(report).utf8)
        } else if report.isGood {
            body = Array("ok\n".utf8)
        } else {
            body = Array(report.checks.filter { !$0.isGood }.map { "\($0.name): \($0.says)\n" }.joined().utf8)
        }
    }

    private static func hasBody(_ request: HTTPRequest) -> Bool {
        request.headerFields[.transferEncoding] != nil || (request.headerFields[.contentLength] ?? "0") != "0"
    }

    /// `localhost:9464`, `127.0.0.1`, `[::1]:9464`.
    static func isLoopback(_ authority: String) -> Bool {
        var host = authority[...]
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]"),
            host.hasPrefix("[") || host.firstIndex(of: ":") == colon
        {
            host = host[..<colon]
        }
        if host.hasPrefix("[") && host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        let name = host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") || name == "::1" { return true }
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }

    private static func document(_ report: HealthReport) -> String {
        let checks = report.checks.map { check in
            #"{"name":\#(quoted(check.name)),"status":"\#(word(check.isGood))","says":\#(quoted(check.says))}"#
        }
        return #"{"status":"\#(word(report.isGood))","checks":[\#(checks.joined(separator: ","))]}"# + "\n"
    }

    private static func word(_ isGood: Bool) -> String { isGood ? "ok" : "failed" }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
