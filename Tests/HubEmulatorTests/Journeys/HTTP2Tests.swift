import Foundation
import Testing

@testable import HubEmulator

/// HTTP/2 on the port for TLS, with curl as the client.
@Suite struct HTTP2Tests {
    private static let curl = Program("curl")
    private static let bash = Program("bash")

    /// The arguments that every call of curl has. It prints the version of HTTP and the status on a line of their own.
    private func arguments(_ authority: String, http: String = "--http2") -> [String] {
        ["-sS", http, "--cacert", authority, "-w", "\n%{http_version} %{http_code}\n"]
    }

    private func url(_ fixture: EmulatorFixture, _ target: String) throws -> String {
        "https://127.0.0.1:\(try #require(fixture.emulator.securePort))\(target)"
    }

    /// - Parameter body: nil: given by other arguments.
    private func send(
        _ fixture: EmulatorFixture, _ target: String = "/news/messages?api-version=2020-06",
        body: String? = #"{"m":"x"}"#
    ) throws -> [String] {
        let headers = [
            "Authorization: \(fixture.token())", "ServiceBusNotification-Format: template",
            "Content-Type: application/json;charset=utf-8",
        ]
        return headers.flatMap { ["-H", $0] } + (body.map { ["-d", $0] } ?? []) + [try url(fixture, target)]
    }

    @Test(arguments: [("--http2", "2 201"), ("--http1.1", "1.1 201"), ("--no-alpn", "1.1 201")])
    func theClientChoosesTheProtocol(option: String, result: String) async throws {
        try await EmulatorFixture.runWithTLS { fixture, authority in
            let ended = try await Self.curl(arguments(authority, http: option) + ["-i"] + send(fixture))
            #expect(ended.status == 0, "\(ended)")
            #expect(ended.output.hasSuffix("\n\(result)\n"), "\(ended)")
            let location = "location: \(try url(fixture, "/news/messages/"))"
            #expect(ended.output.lowercased().contains(location), "\(ended)")
            #expect(fixture.emulator.count().taken == 1)
        }
    }

    @Test func manyRequestsShareOneConnection() async throws {
        try await EmulatorFixture.runWithTLS { fixture, authority in
            let many = try send(fixture, "/news/messages?api-version=2020-06&n=[1-200]")
            // The first one opens the connection; the others wait for it.
            let ended = try await Self.curl(
                ["--parallel", "--parallel-max", "50"] + arguments(authority) + ["-w", "%{num_connects}\n"] + many)
            #expect(ended.status == 0, "\(ended)")
            #expect(fixture.emulator.count() == JournalCount(taken: 200, statuses: [201: 200]))
            let connects = ended.output.split(separator: "\n").compactMap { Int($0) }
            #expect(connects.count == 200 && connects.reduce(0, +) < 10, "\(connects)")
        }
    }

    @Test func aHEADResponseHasNoBody() async throws {
        try await EmulatorFixture.runWithTLS { fixture, authority in
            for (method, status, body) in [("--head", 405, ""), ("--get", 200, "[]")] {
                let ended = try await Self.curl(
                    arguments(authority) + ["-i", method, try url(fixture, "/_emulator/faults")])
                #expect(ended.status == 0, "\(ended)")
                #expect(ended.output.contains("content-length: "), "\(ended)")
                #expect(ended.output.hasSuffix("\r\n\r\n\(body)\n2 \(status)\n"), "\(ended)")
            }
        }
    }

    /// Also one that the client announces, and one that it goes on sending.
    @Test(arguments: [70_000, 3_000_000])
    func aBodyThatIsTooLargeIsRefused(size: Int) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "body-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(repeating: 0x78, count: size).write(to: file)
        try await EmulatorFixture.runWithTLS { fixture, authority in
            for option in [["--data-binary", "@\(file.path)"], ["-X", "POST", "-T", file.path, "-H", "Expect:"]] {
                let ended = try await Self.curl(arguments(authority) + option + send(fixture, body: nil))
                #expect(ended.output.contains("\n2 413\n"), "\(option) \(ended)")
            }
            #expect(fixture.emulator.count().statuses == [413: 2])
        }
    }

    /// A connection ends as with HTTP/1.1, so that a sender's doubt can be tried with both.
    @Test(arguments: [
        (Fault.Closing.beforeBody, false), (.afterBody, false), (.afterBody, true), (.afterHead, false),
        (.midAnswer, false), (.midAnswer, true),
    ])
    private func aFaultClosesTheConnection(closing: Fault.Closing, isReset: Bool) async throws {
        try await EmulatorFixture.runWithTLS { fixture, authority in
            var fault = Fault(
                .nth(1), status: closing == .beforeBody || closing == .afterBody ? nil : 500, closing: closing)
            fault.reset = isReset
            try fixture.emulator.add(fault)
            let ended = try await Self.curl(arguments(authority) + send(fixture))
            #expect(ended.status != 0, "\(ended)")
            let next = try await Self.curl(arguments(authority) + send(fixture))
            #expect(next.output.hasSuffix("\n2 201\n"), "\(next)")
        }
    }

    @Test func delaysAndTricklesArrive() async throws {
        try await EmulatorFixture.runWithTLS { fixture, authority in
            var fault = Fault(.nth(1), status: 503)
            fault.delayMilliseconds = 20
            fault.trickleMilliseconds = 1
            try fixture.emulator.add(fault)
            let ended = try await Self.curl(arguments(authority) + send(fixture))
            #expect(ended.output.hasSuffix("\n2 503\n"), "\(ended)")
            #expect(ended.output.contains("<Error>") && ended.output.contains("</Error>"), "\(ended)")
        }
    }

    /// A response that is made later, and one that is streamed.
    @Test func waitingAndStreamingWork() async throws {
        try await EmulatorFixture.runWithTLS { fixture, authority in
            try fixture.emulator.register(EmulatorFixture.device("i", ["World"]), at: "news")
            let wait = try url(fixture, "/_emulator/wait?hub=news&device=i&count=1&since=0&timeout=50")
            let waiting = Task { try await Self.curl(arguments(authority) + [wait]) }
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            let ended = try await waiting.value
            #expect(ended.output.hasSuffix("\n2 200\n"), "\(ended)")
            // Reads until the event is there; curl itself would end only with the emulator.
            let events = try url(fixture, "/_emulator/events?since=0")
            let seen = try await Self.bash([
                "-c",
                """
                exec 3< <(exec curl -sSN --http2 --cacert \(authority) '\(events)')
                grep -m1 '^event: send' <&3
                kill $!
                """,
            ])
            #expect(seen.output == "event: send\n", "\(seen)")
        }
    }

    /// `openssl s_client` opens the connection and sends nothing; it exits when the emulator closes. The handshake has the same
    /// time, and took more than a second on a busy machine.
    @Test func anIdleConnectionIsClosed() async throws {
        try await EmulatorFixture.runWithTLS({ $0.idleSeconds = 15 }) { fixture, authority in
            let port = try #require(fixture.emulator.securePort)
            let ended = try await Program("openssl")([
                "s_client", "-alpn", "h2", "-ign_eof", "-CAfile", authority, "-connect", "127.0.0.1:\(port)",
            ])
            #expect(ended.output.contains("ALPN protocol: h2"), "\(ended)")
        }
    }

    @Test func aRequestThatComesTooSlowlyIsRefused() async throws {
        try await EmulatorFixture.runWithTLS({
            $0.idleSeconds = 30
            $0.requestSeconds = 1
        }) { fixture, authority in
            let command =
                ["curl"] + arguments(authority) + ["-X", "POST", "-T", "-", try url(fixture, "/news/messages")]
            let quoted = command.map { "'\($0)'" }.joined(separator: " ")
            let ended = try await Self.bash(["-c", "(printf '{'; sleep 3) | \(quoted)"])
            #expect(ended.output.contains("2 408"), "\(ended)")
        }
    }

    @Test func stoppingEndsAllRequests() async throws {
        try await EmulatorFixture.runWithTLS { fixture, authority in
            var fault = Fault(.nth(1))
            fault.delayMilliseconds = 600_000
            try fixture.emulator.add(fault)
            let waiting = Task { try await Self.curl(arguments(authority) + send(fixture)) }
            while fixture.emulator.faults.first?.struck != 1 { try await Task.sleep(for: .milliseconds(10)) }
            await fixture.emulator.stop()
            #expect(try await waiting.value.status != 0)
        }
    }
}
