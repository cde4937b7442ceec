import Foundation
import HTTPTransport
import Providers
import PushModel
import Signing
import Testing

@testable import HubEmulator

/// Clients of APNs that others wrote, with the real clock, with which they sign (docs/emulator): what their requests say beside
/// Fanfare's, and what they make of APNs' answers.
@Suite(.enabled(if: Program.hasPackage("aioapns") && Program.hasPackage("pyapns_client"), Program.advice))
struct APNsClientTests {
    enum Client: String, CaseIterable, Sendable {
        case aioapns = "apns_aioapns.py"
        case pyapns = "apns_pyapns.py"
        case java = "ApnsSender.java"

        var program: Program { self == .java ? Program("java") : Program(".build-tools/bin/python") }
    }

    enum Credential: Sendable { case token, certificate }

    /// An emulator with the sender `ios`, and the files that its clients read.
    private struct Bench {
        let fixture: APNsFixture
        let folder: URL

        /// - Parameter faults: as JSON.
        func set(_ faults: String) throws {
            for fault in try Fault.list(json: Array(faults.utf8)) { try fixture.emulator.add(fault) }
        }

        /// What a client prints when it has sent to these handles.
        func lines(
            _ client: Client, _ credential: Credential = .token, to handles: [String],
            environment: [String: String] = [:]
        ) async throws -> [String] {
            let sender = try #require(fixture.emulator.apnsSender("ios"))
            let file = folder.appending(path: credential == .token ? "ios.p8" : "ios.pem").path()
            let ended = try await client.program(
                [
                    Program.root.appending(path: "docs/emulator/\(client.rawValue)").path(),
                    try #require(fixture.emulator.secureEndpoint), fixture.authority, sender.topic,
                    credential == .token ? "\(file),\(sender.keys[0].id),\(sender.teamID)" : file,
                ] + handles, environment: environment)
            #expect(ended.status == 0, "\(ended)")
            return ended.output.split(separator: "\n").map(String.init)
        }

        /// What the last request said, by name.
        func lastRequest() throws -> [String: String] {
            let entry = try #require(fixture.emulator.journal().last)
            let request = try #require(fixture.emulator.sendJournal.request(of: entry.number))
            var fields = ["method": request.method, "address": request.origin + request.target]
            for header in request.headers {
                #expect(fields.updateValue(header.value, forKey: header.name.lowercased()) == nil, "\(header.name)")
            }
            let body = try #require(entry.body)
            let payload = try JSONSerialization.jsonObject(with: Data(body.utf8))
            fields["payload"] = String(
                decoding: try JSONSerialization.data(withJSONObject: payload, options: .sortedKeys), as: UTF8.self)
            #expect(fields.removeValue(forKey: "content-length") ?? "\(body.utf8.count)" == "\(body.utf8.count)")
            return fields
        }

        /// The handles of the sends that were taken, in order.
        var taken: [String] {
            fixture.emulator.journal().filter(\.taken).compactMap { entry in
                fixture.emulator.sendJournal.request(of: entry.number)?.target.split(separator: "/").last.map(
                    String.init)
            }
        }

        var statuses: [Int?] { fixture.emulator.journal().map(\.status) }
    }

    private func run(_ body: (Bench) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var sender = EmulatorSettings.APNsSender("ios", topic: "com.example.MyApp")
        sender.hasCertificate = true
        try await APNsFixture.run({
            $0.apnsSenders = [sender]
            $0.now = { Date().timeIntervalSince1970 }
        }) { fixture in
            try Data(sender.keys[0].p8.reveal().utf8).write(to: folder.appending(path: "ios.p8"))
            let client = try #require(fixture.emulator.apnsCertificate(of: "ios"))
            try Data((client.certificate + client.key.reveal()).utf8).write(to: folder.appending(path: "ios.pem"))
            try await body(Bench(fixture: fixture, folder: folder))
        }
    }

    // MARK: - Requests

    /// Sends the same notification as the clients do, over Fanfare's own HTTP/2.
    private func sendOurs(to handle: String, _ bench: Bench, _ credential: Credential = .token) async throws {
        let emulator = bench.fixture.emulator
        let sender = try #require(emulator.apnsSender("ios"))
        let endpoint: String = try #require(emulator.secureEndpoint)
        let apns = try APNs(
            topic: sender.topic, environment: .production, endpoint: endpoint, database: 1)
        let now = Int(Date().timeIntervalSince1970)
        let pass: Pass
        switch credential {
        case .token:
            pass = Pass(
                header: Secret("bearer \(sender.keys[0].token(team: sender.teamID, issuedAt: now))"), number: 1,
                expiry: Int64(now) + 3_000)
        case .certificate:
            let client = try #require(emulator.apnsCertificate(of: "ios"))
            let certificate = try ClientCertificate(certificate: client.certificate, key: client.key)
            pass = try #require(CertificatePass(certificate, of: APNsCredentials()).pass(for: endpoint))
        }
        let post = Post(
            messages: [1], target: .handles([handle]), format: "apple",
            headers: [
                Post.Header(name: "apns-push-type", value: "alert"), Post.Header(name: "apns-priority", value: "5"),
                Post.Header(name: "apns-collapse-id", value: "score"),
            ],
            body: Array(
                #"{"aps": {"alert": {"title": "Party", "body": "You’re invited!"}, "category": "INVITE_CATEGORY"}}"#
                    .utf8),
            expiresAt: 2_000_000_000)
        var settings = TransportSettings()
        settings.connectTimeout = .seconds(60)  // on a machine with other work
        settings.caBundle = bench.fixture.authority
        settings.http2 = HTTP2Settings()
        settings.userAgent = nil
        let transport = try HTTPClient(settings)
        let reply = await transport.perform(try apns.request(for: post, id: 1, with: pass))
        await transport.shutdown()
        #expect(apns.answer(to: reply).verdict == .accepted)
    }

    /// Only these differ, as docs/emulator.md has it; `theirs | ours`.
    @Test(arguments: [
        (
            Client.aioapns,
            [
                "address", "apns-expiration", "apns-id", "content-type: - | application/json",
                "user-agent: - | fanfare/dev",
            ]
        ),
        (
            .pyapns,
            [
                "accept: */* | -", "accept-encoding", "apns-id: - | ours",
                "content-type: application/json; charset=utf-8 | application/json", "user-agent",
            ]
        ), (.java, ["apns-id: - | ours", "user-agent"]),
    ])
    func theirRequestsSayWhatOursSay(client: Client, differences: [String]) async throws {
        try await run { bench in
            try await sendOurs(to: "ab01", bench)
            let ours = try bench.lastRequest()
            #expect(try await bench.lines(client, to: ["ab01"]).count == 1)
            let theirs = try bench.lastRequest()
            #expect(bench.statuses == [200, 200])
            var found: [String] = []
            // NIO writes transfer-encoding into a request without content-length; HTTP/2 has no such header.
            let names = Set(ours.keys).union(theirs.keys).subtracting(["transfer-encoding"])
            for name in names.sorted() where ours[name] != theirs[name] {
                let line = "\(name): \(theirs[name] ?? "-") | \(name == "apns-id" ? "ours" : ours[name] ?? "-")"
                // What varies is named alone.
                found.append(differences.contains(name) ? name : line)
            }
            // aioapns works it out from a time to live, so a second may lie between.
            if client == .aioapns, !found.contains("apns-expiration") { found.append("apns-expiration") }
            #expect(found.sorted() == differences.sorted(), "\(ours)\n\(theirs)")
            #expect(try #require(Int(theirs["apns-expiration"] ?? "")) >= 2_000_000_000)
            #expect(ours["authorization"] == SentRequest.mask && ours["payload"]?.contains("You’re invited!") == true)
        }
    }

    @Test(arguments: [Client.aioapns, .java]) func aCertificateIsEnough(client: Client) async throws {
        try await run { bench in
            try await sendOurs(to: "ab01", bench, .certificate)
            let ours = try bench.lastRequest()
            #expect(try await bench.lines(client, .certificate, to: ["ab01"]).count == 1)
            let theirs = try bench.lastRequest()
            #expect(ours["authorization"] == nil && theirs["authorization"] == nil)
            for name in ["method", "address", "apns-topic", "apns-push-type", "apns-priority", "payload"] {
                let isAddress = name == "address" && client == .aioapns  // it leaves the port out
                #expect(isAddress || ours[name] == theirs[name], "\(name): \(ours[name] ?? "-") \(theirs[name] ?? "-")")
            }
            let lines = try await bench.lines(client, .certificate, to: ["ab01", "dead0410"])
            #expect(lines[0].hasSuffix("200 -") && lines[1].hasSuffix("410 Unregistered since"), "\(lines)")
            #expect(bench.statuses == [200, 200, 200, 410])
            #expect(try bench.lastRequest()["authorization"] == nil)
        }
    }

    // MARK: - Answers

    private static let refused = ["ab01", "dead0400", "dead0410", "dead1410", "dead0429", "dead0503"]

    @Test(arguments: [Client.aioapns, .java]) func everyAnswerReachesTheCallerOnce(client: Client) async throws {
        try await run { bench in
            let lines = try await bench.lines(client, to: Self.refused)
            let version = client == .java ? "HTTP_2 " : ""
            let answers = [
                "200 -", "400 BadDeviceToken", "410 Unregistered since", "410 ExpiredToken since",
                "429 TooManyRequests", "503 ServiceUnavailable",
            ]
            #expect(lines == zip(Self.refused, answers).map { "\($0): \(version)\($1)" })
            #expect(bench.statuses == [200, 400, 410, 410, 429, 503])
        }
    }

    /// It sends again at once, twice, and does not know a reason of today.
    @Test func pyapnsRepeatsRefusals() async throws {
        try await run { bench in
            let lines = try await bench.lines(.pyapns, to: Self.refused)
            #expect(
                lines == [
                    "ab01: sent", "dead0400: BadDeviceTokenException 400", "dead0410: UnregisteredException 410 since",
                    "dead1410: NotImplementedError, Reason not implemented: ExpiredToken",
                    "dead0429: TooManyRequestsException 429", "dead0503: ServiceUnavailableException 503",
                ])
            #expect(bench.statuses == [200, 400, 410, 410, 429, 429, 429, 503, 503, 503])
        }
    }

    @Test func pyapnsRepeatsWhatWasTaken() async throws {
        try await run { bench in
            try bench.set(#"{"next":2,"close":"after-body","taken":true}"#)
            #expect(try await bench.lines(.pyapns, to: ["ab01"]) == ["ab01: sent"])
            #expect(bench.taken == ["ab01", "ab01", "ab01"])
        }
    }

    /// Apple takes 4,096 bytes.
    @Test func pyapnsCutsLongTexts() async throws {
        try await run { bench in
            #expect(try await bench.lines(.pyapns, to: ["long=3000", "ab01"]) == ["ab01: sent"])
            let body = try #require(bench.fixture.emulator.journal().last?.body)
            #expect(body.utf8.count <= 2_048 && body.contains(#"xxx...""#))
        }
    }

    /// Nobody makes a new token but the one who calls; and on the same connection a new one is of no use, which is so at Apple's.
    @Test func anExpiredTokenStays() async throws {
        try await run { bench in
            try bench.set(#"{"nth":2,"endToken":true}"#)
            let lines = try await bench.lines(.aioapns, to: ["ab01", "ab02", "ab03"])
            #expect(lines == ["ab01: 200 -", "ab02: 403 ExpiredProviderToken", "ab03: 403 ExpiredProviderToken"])
        }
        try await run { bench in
            try bench.set(#"{"nth":2,"endToken":true}"#)
            let lines = try await bench.lines(.pyapns, to: ["ab01", "ab02"])
            #expect(lines == ["ab01: sent", "ab02: ExpiredProviderTokenException 403"])
            #expect(bench.statuses == [200, 403, 403, 403])
        }
        try await run { bench in
            try bench.set(#"{"nth":2,"endToken":true}"#)
            let lines = try await bench.lines(.java, to: ["ab01", "ab02", "token", "ab03", "client", "ab04"])
            #expect(
                lines == [
                    "ab01: HTTP_2 200 -", "ab02: HTTP_2 403 ExpiredProviderToken",
                    "ab03: HTTP_2 403 ExpiredProviderToken", "ab04: HTTP_2 200 -",
                ])
        }
    }

    /// `ab02` was taken, its answer never came, and a GOAWAY that names its stream as processed, or silence, came instead.
    @Test(arguments: [#"{"nth":3,"goAway":"Shutdown"}"#, nil]) func aioapnsRepeatsWhatWasTaken(fault: String?)
        async throws
    {
        try await run { bench in
            try bench.set(#"{"nth":2,"close":"never","taken":true}"#)
            if let fault { try bench.set(fault) }
            let handles = fault == nil ? ["ab01", "ab02"] : ["ab01", "ab02+ab03"]
            let lines = try await bench.lines(.aioapns, to: handles, environment: ["SILENCE": "2"])
            #expect(lines.prefix(2) == ["ab01: 200 -", "ab02: 200 -"], "\(lines)")
            #expect(bench.taken.filter { $0 == "ab02" }.count == 2, "\(bench.taken)")
            let ids = bench.fixture.emulator.journal().compactMap(\.notification)
            #expect(Set(ids).count < ids.count, "the same apns-id twice")
        }
    }

    /// It waits until the connection ends; what was refused arrives then.
    @Test func aioapnsDoesNotSeeAReset() async throws {
        try await run { bench in
            try bench.set(#"{"nth":2,"close":"stream","streamCode":"REFUSED_STREAM"}"#)
            let lines = try await bench.lines(.aioapns, to: ["ab01", "ab02"], environment: ["SILENCE": "2"])
            #expect(lines == ["ab01: 200 -", "ab02: 200 -"])
            #expect(bench.statuses == [200, nil, 200] && bench.taken == ["ab01", "ab02"])
        }
    }

    /// It does not say which of the requests on the connection were processed, and repeats none.
    @Test func javaGivesUpWhatGOAWAYFinds() async throws {
        try await run { bench in
            try bench.set(#"[{"nth":2,"close":"never","taken":true},{"nth":3,"goAway":"Shutdown"}]"#)
            let lines = try await bench.lines(.java, to: ["ab01", "ab02+ab03", "ab04"])
            // Two threads of it send: either may come first, and the first is taken, maybe after the other one.
            let silent = ["ab02", "ab03"].filter { lines.contains("\($0): no answer") }
            #expect(!silent.isEmpty && lines.last == "ab04: HTTP_2 200 -", "\(lines)")
            #expect(Set(bench.taken).count == bench.taken.count, "\(bench.taken)")
            #expect(silent.contains(where: bench.taken.contains), "\(bench.taken)")
        }
    }
}
