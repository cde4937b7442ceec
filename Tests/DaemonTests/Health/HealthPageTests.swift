import HTTPTypes
import Signing
import Synchronization
import Testing

@testable import Daemon

@Suite struct HealthPageTests {
    private static let good = HealthReport([.init("started", isGood: true, says: "has begun to work")])
    private static let bad = HealthReport([
        .init("started", isGood: true, says: "has begun to work"),
        .init("database", isGood: false, says: "refused: \"no\\pe\"\n"),
    ])

    private func page(
        _ path: String, method: HTTPRequest.Method = .get, host: String? = "localhost:9464",
        headers: HTTPFields = [:], isLoopback: Bool = true, _ report: HealthReport = good
    ) -> HealthPage {
        let request = HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: headers)
        return HealthPage(request, of: .init(isLoopback: isLoopback, report: { _ in report }))
    }

    @Test func aHealthyWorkerAnswersOk() {
        let page = page("/readyz")
        #expect(page.status == .ok && page.text == "ok\n")
    }

    @Test func anUnhealthyWorkerSaysWhy() {
        let page = page("/readyz", Self.bad)
        #expect(page.status == .serviceUnavailable)
        #expect(page.text == "database: refused: \"no\\pe\"\n\n")
    }

    @Test(arguments: ["/readyz?verbose", "/readyz?a=b&verbose=1"])
    func verboseIsJSONWithEveryCheck(path: String) {
        let page = page(path, Self.bad)
        #expect(page.type == "application/json; charset=utf-8")
        #expect(
            page.text == #"{"status":"failed","checks":[{"name":"started","status":"ok","says":"has begun to work"},"#
                + #"{"name":"database","status":"failed","says":"refused: \"no\\pe\"\n"}]}"# + "\n")
    }

    @Test func eachPageAsksItsOwnQuestion() {
        for probe in HealthProbe.allCases {
            let asked = Mutex<[HealthProbe]>([])
            let request = HTTPRequest(method: .get, scheme: "http", authority: nil, path: "/\(probe.rawValue)")
            let pages = HealthPage.Pages(
                isLoopback: true,
                report: { probe in
                    asked.withLock { $0.append(probe) }
                    return Self.good
                })
            _ = HealthPage(request, of: pages)
            #expect(asked.withLock { $0 } == [probe])
        }
    }

    @Test(arguments: ["/", "", "/healthz", "/readyz/", "//readyz", "*"])
    func otherPathsListThePages(path: String) {
        let page = page(path)
        #expect(page.status == .notFound && page.text.contains("/livez, /readyz, /startupz"))
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .delete, .options, .connect])
    func onlyGETAndHEADAreAnswered(method: HTTPRequest.Method) {
        let page = page("/readyz", method: method)
        #expect(page.status == .methodNotAllowed && page.allow == "GET, HEAD")
        #expect(self.page("/readyz", method: .head).status == .ok)
    }

    @Test func aBodyIsRefused() {
        #expect(page("/readyz", headers: [.contentLength: "3"]).status == .contentTooLarge)
        #expect(page("/readyz", headers: [.transferEncoding: "chunked"]).status == .contentTooLarge)
        #expect(page("/readyz", headers: [.contentLength: "0"]).status == .ok)
    }

    /// A foreign page may use a name that resolves to 127.0.0.1 and ask us through a browser.
    @Test func onLoopbackARequestForAnotherHostIsRefused() {
        for host in ["evil.example", "evil.example:9464", "127.0.0.1.evil.example", "10.0.0.1:9464", "[::2]:9464", ""] {
            #expect(page("/readyz", host: host).status == .forbidden, "\(host)")
            #expect(page("/readyz", host: host, isLoopback: false).status == .ok, "\(host)")
        }
        for host in ["localhost", "LOCALHOST:1", "127.0.0.1:9464", "127.9.9.9", "[::1]:9464", "[::1]", "a.localhost"] {
            #expect(page("/readyz", host: host).status == .ok, "\(host)")
        }
        #expect(page("/readyz", host: nil).status == .ok)
    }

    @Test func metricsAreServedInTheFormatThatIsAskedFor() {
        func metrics(_ accept: String?) -> HealthPage {
            var headers = HTTPFields()
            if let accept { headers[.accept] = accept }
            let request = HTTPRequest(
                method: .get, scheme: "http", authority: "localhost:9464", path: "/metrics", headerFields: headers)
            let pages = HealthPage.Pages(
                isLoopback: true, metrics: { Array("\($0)\n".utf8) }, report: { _ in Self.good })
            return HealthPage(request, of: pages)
        }
        #expect(metrics(nil).text == "prometheus\n")
        #expect(metrics("text/plain;version=0.0.4;q=0.5,*/*;q=0.1").text == "prometheus\n")
        let open = metrics("application/openmetrics-text;version=1.0.0;q=0.6,text/plain;q=0.4")
        #expect(open.text == "openMetrics\n")
        #expect(open.type == "application/openmetrics-text; version=1.0.0; charset=utf-8")
        #expect(open.keepsConnection)
    }

    @Test func metricsOfTheLoopbackAreNotForForeignPagesAndOtherwiseThereAreNone() {
        let foreign = HTTPRequest(method: .get, scheme: "http", authority: "evil.example", path: "/metrics")
        let pages = HealthPage.Pages(isLoopback: true, metrics: { _ in [] }, report: { _ in Self.good })
        #expect(HealthPage(foreign, of: pages).status == .forbidden)
        #expect(page("/metrics").status == .notFound)
    }
}

/// The metrics on an address that others can reach.
@Suite struct MetricsTokenTests {
    private static let token = "0123456789abcdef.-_~+/=="

    private func page(
        _ path: String = "/metrics", method: HTTPRequest.Method = .get, authorization: String?,
        host: String = "worker-1.example:9465"
    ) -> HealthPage {
        var headers = HTTPFields()
        if let authorization { headers[.authorization] = authorization }
        let request = HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: headers)
        return HealthPage(
            request,
            of: .init(isLoopback: false, metrics: { _ in [0x41] }, bearer: Secret(Self.token), report: nil))
    }

    @Test(arguments: ["Bearer \(token)", "bearer \(token)", "BEARER   \(token)"])
    func theTokenOpensThem(authorization: String) {
        let page = page(authorization: authorization)
        #expect(page.status == .ok && page.body == [0x41] && page.keepsConnection && page.challenge == nil)
        #expect(self.page(method: .head, authorization: authorization).status == .ok)
    }

    @Test(arguments: [
        "Bearer", "Bearer ", "Bearer \(token)x", "Bearer \(token.dropLast())", "Bearer \(token) \(token)",
        "Bearer \(token), Bearer \(token)", "Basic \(token)", "Bearer\t\(token)", "\(token)",
        "Bearer \(token.uppercased())",
    ])
    func anotherOneDoesNot(authorization: String) {
        let page = page(authorization: authorization)
        #expect(page.status == .unauthorized && !page.keepsConnection)
        #expect(page.challenge == #"Bearer realm="fanfare", error="invalid_token""#)
        #expect(!String(decoding: page.body, as: UTF8.self).contains(Self.token))
    }

    @Test func withoutOneTheAnswerSaysWhatIsNeeded() {
        let page = page(authorization: nil)
        #expect(page.status == .unauthorized && page.challenge == #"Bearer realm="fanfare""#)
        #expect(String(decoding: page.body, as: UTF8.self).contains("console.metricsToken"))
    }

    @Test func anAddressOfTheirOwnHasNothingElse() {
        for path in ["/readyz", "/livez", "/", "/metrics/"] {
            let page = page(path, authorization: "Bearer \(Self.token)")
            #expect(page.status == .notFound && page.body == Array("the page is /metrics\n".utf8), "\(path)")
        }
        #expect(page(method: .post, authorization: "Bearer \(Self.token)").status == .methodNotAllowed)
    }
}

extension HealthPage {
    fileprivate var text: String { String(decoding: body, as: UTF8.self) }
}
