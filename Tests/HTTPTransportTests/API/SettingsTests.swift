import Glibc
import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(1))) struct SettingsTests {
    @Test func theDefaultsAreInOrder() {
        #expect(TransportSettings().problems == [])
    }

    @Test func everyProblemIsNamedAtOnce() throws {
        var settings = TransportSettings()
        settings.slots = 0
        settings.timeout = .zero
        settings.newConnectionsPerTurn = 5000
        settings.proxy = "http://user:hunter2@proxy\r\n"
        let error = try #require(throws: TransportError.self) { try HTTPClient(settings) }
        for name in ["slots is 0", "timeout is 0.0 seconds", "newConnectionsPerTurn is 5000", "proxy is"] {
            #expect(error.description.contains(name), "\(error)")
        }
        #expect(!error.description.contains("hunter2"))
    }

    @Test func aMissingBundleOfCertificatesIsFoundAtTheStart() throws {
        var settings = TransportSettings()
        settings.caBundle = "/nonexistent/ca.pem"
        let error = try #require(throws: TransportError.self) { try HTTPClient(settings) }
        #expect(error.code == ENOENT)
        #expect(error.description.contains("caBundle /nonexistent/ca.pem"))
    }

    @Test func theLimitOfOpenFilesIsRaisedOrTheSettingsAreRefused() async {
        await #expect(processExitsWith: .success) {
            func set(soft: rlim_t, hard: rlim_t) {
                var limit = rlimit(rlim_cur: soft, rlim_max: hard)
                #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            }
            set(soft: 300, hard: 1300)
            var settings = TransportSettings()
            settings.slots = 512
            let loop = try HTTPClient(settings)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #expect(limit.rlim_cur == 1280)
            await loop.shutdown()

            settings.slots = 1000
            let error = try #require(throws: TransportError.self) { try HTTPClient(settings) }
            #expect(error.description.contains("slots need 2256 open files"))
            #expect(error.description.contains("the hard limit is 1300"))
        }
    }

    @Test func aBrokenPipeDoesNotEndTheProcess() async {
        await #expect(processExitsWith: .success) {
            let loop = try HTTPClient()
            await loop.shutdown()
            kill(getpid(), SIGPIPE)
        }
    }

    @Test func proxiesInTheEnvironmentAreNotUsed() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer.answering("HTTP/1.1 200 OK\r\n\r\n")
            for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "http_proxy"] {
                setenv(name, "http://127.0.0.1:\(proxy.port)", 1)
            }
            let loop = try HTTPClient()
            let reply = await loop.perform(request(to: "https://nonexistent.invalid/"))
            await loop.shutdown()
            #expect(reply.notSent?.code == 6)
            #expect(proxy.accepted.count == 0)
        }
    }

    @Test func aConfiguredProxyIsUsedButNotForLoopback() async throws {
        let proxy = try LoopbackServer.answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        let server = try LoopbackServer.answering()
        try await withLoop({ $0.proxy = "http://127.0.0.1:\(proxy.port)" }) { loop in
            let far = await loop.perform(request(1, to: "https://nonexistent.invalid/"))
            #expect(far.notSent?.code == 56, "\(far.outcome)")
            #expect(proxy.received.all.map(\.line) == ["CONNECT nonexistent.invalid:443 HTTP/1.1"])
            let near = await loop.perform(request(2, to: server.url))
            #expect(near.status == 201)
        }
    }
}
