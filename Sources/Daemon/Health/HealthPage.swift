import HTTPTypes
import Signing
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
    /// The `WWW-Authenticate` header of a request without the right token.
    var challenge: String?

    /// What an address serves.
    struct Pages: Sendable {
        /// Whether we listen on loopback only; then a request for another host comes from a browser that a foreign page
        /// has sent here.
        var isLoopback: Bool
        /// Makes the page of metrics; nil: this server has no metrics.
        var metrics: (@Sendable (MetricsText.Format) -> [UInt8])?
        /// What a request for the metrics has to bring; nil: nothing.
        var bearer: Secret?
        /// Makes the report that is asked for; nil: there are no health pages here.
        var report: (@Sendable (HealthProbe) -> HealthReport)?

        fileprivate var names: String {
            let probes = HealthProbe.allCases.map { "/\($0.rawValue)" }.joined(separator: ", ")
            return switch (report != nil, metrics != nil) {
            case (true, true): "the pages are \(probes), each takes ?verbose, and /metrics"
            case (true, false): "the pages are \(probes), each takes ?verbose"
            case (false, _): "the page is /metrics"
            }
        }
    }

    init(_ request: HTTPRequest, of pages: Pages) {
        let parts = (request.path ?? "").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.count > 1 ? parts[1].split(separator: "&") : []
        if pages.isLoopback, let host = request.authority, !Self.isLoopback(host) {
            self.init(status: .forbidden, body: "this address is for requests to localhost\n")
        } else if request.method != .get && request.method != .head {
            self.init(status: .methodNotAllowed, body: "only GET and HEAD\n")
            allow = "GET, HEAD"
        } else if Self.hasBody(request) {
            self.init(status: .contentTooLarge, body: "a request has no body here\n")
        } else if let probe = HealthProbe(rawValue: String((parts.first ?? "").dropFirst())), let report = pages.report
        {
            self.init(report(probe), isVerbose: query.contains { $0 == "verbose" || $0.hasPrefix("verbose=") })
        } else if parts.first == "/metrics", let metrics = pages.metrics {
            if let bearer = pages.bearer, let challenge = Self.challenge(to: request, for: bearer) {
                self.init(status: .unauthorized, body: "the metrics need a bearer token: console.metricsToken\n")
                self.challenge = challenge
            } else {
                self.init(metrics, for: request)
            }
        } else {
            self.init(status: .notFound, body: pages.names + "\n")
        }
    }

    /// The challenge for a request without the right token (RFC 6750, section 3); nil: the token is right.
    private static func challenge(to request: HTTPRequest, for token: Secret) -> String? {
        let realm = "Bearer realm=\"fanfare\""
        guard let given = request.headerFields[.authorization] else { return realm }
        let words = given.split(separator: " ", maxSplits: 1)
        // `Secret` compares in a time that does not depend on how much of a guess is right.
        let isRight =
            words.count == 2 && words[0].lowercased() == "bearer"
            && Secret(String(words[1].drop { $0 == " " })) == token
        return isRight ? nil : realm + ", error=\"invalid_token\""
    }

    private init(_ metrics: (MetricsText.Format) -> [UInt8], for request: HTTPRequest) {
        let format = MetricsText.Format(accept: request.headerFields[.accept])
        status = .ok
        type = format.contentType
        body = metrics(format)
        keepsConnection = true
    }

    private init(status: HTTPResponse.Status, body: String) {
        self.status = status
        self.body = Array(body.utf8)
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
            let (name, says) = (LogEscaping.quoted(check.name), LogEscaping.quoted(check.says))
            return #"{"name":\#(name),"status":"\#(word(check.isGood))","says":\#(says)}"#
        }
        return #"{"status":"\#(word(report.isGood))","checks":[\#(checks.joined(separator: ","))]}"# + "\n"
    }

    private static func word(_ isGood: Bool) -> String { isGood ? "ok" : "failed" }
}
