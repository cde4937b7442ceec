import Foundation
import Glibc
import ProgramSupport
import TestSupport
import Testing

/// The key of a service account, its assertions and its access tokens are nowhere to be read, whatever Google's servers or a
/// proxy in front of them answer. Those of these tests quote the whole request.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SenderSecrecyTests {
    private static let token = "ya29.marked-access-token"

    enum Talk: CaseIterable {
        case tokenRefused, tokenUnavailable, tokenPage, taken, badRequest, unauthorized, forbidden, page

        var isAboutTheToken: Bool { [.tokenRefused, .tokenUnavailable, .tokenPage].contains(self) }

        var status: Int {
            switch self {
            case .taken: 200
            case .tokenRefused, .badRequest: 400
            case .unauthorized: 401
            case .forbidden: 403
            case .tokenUnavailable: 503
            case .tokenPage, .page: 502
            }
        }
    }

    private static func script(_ talk: Talk) -> @Sendable (ScriptedHub.Request, Int) -> ScriptedHub.Answer {
        { request, _ in
            let isToken = request.target.hasSuffix("/token")
            if isToken, !talk.isAboutTheToken {
                let body = #"{"access_token": "\#(token)", "expires_in": 3599, "token_type": "Bearer"}"#
                return ScriptedHub.Answer(status: 200, headers: ["Content-Type: application/json"], body: body)
            }
            let all = (request.headers + [request.body]).joined(separator: "; ").replacing("\"", with: "'")
            let body =
                switch talk {
                case .page, .tokenPage: "<html><pre>\(request.target) \(all)</pre></html>"
                case .tokenRefused: #"{"error": "invalid_grant", "error_description": "no: \#(all)"}"#
                default:
                    #"{"name": "projects/p/messages/1", "error": {"code": \#(talk.status), "message": "no: \#(all)"}}"#
                }
            return ScriptedHub.Answer(status: talk.status, headers: ["X-Echo: \(all.prefix(2_000))"], body: body)
        }
    }

    private static func expectClean(_ text: String, _ key: String, _ what: String) {
        // In a file of JSON the lines of the key stand behind each other, with \n between them.
        for secret in [token, "PRIVATE KEY", key] {
            #expect(!text.contains(secret), "\(what) holds \(secret.prefix(12))…")
        }
        // Of an assertion at most the first letters of its head, which say nothing.
        #expect(!text.contains(/eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}/), "\(what) holds an assertion")
    }

    @Test(arguments: Talk.allCases) func aWorkerKeepsItsAccountWhateverIsAnswered(talk: Talk) async throws {
        try await ScriptedHub.run(Self.script(talk)) { hub in
            let base = try #require(hub.connection.firstMatch(of: /http:\/\/[0-9.:]+/)).output
            var account = try #require(
                JSONSerialization.jsonObject(with: Data(try Site.account().utf8)) as? [String: Any])
            account["token_uri"] = base + "/token"
            let key = try #require(account["private_key"] as? String).split(separator: "\n")[5]
            let text = String(decoding: try JSONSerialization.data(withJSONObject: account), as: UTF8.self)

            let site = try await Site.make()
            try site.scratch.write(text, to: "hubs-shop-serviceAccount")
            let settings = """
                {"database": {"url": "\(site.url)"}, "console": {"listen": "off"},
                 "hubs": {"shop": {"kind": "fcm", "endpoint": "\(base)"}}}
                """
            var fanfare = BuiltProgram(
                settings: try site.scratch.write(settings, to: "shop.json"), scratch: site.scratch)
            fanfare.environment = ["CREDENTIALS_DIRECTORY": site.scratch.path, "SWIFT_BACKTRACE": "enable=no"]
            #expect(try await fanfare("migrate", "up").status == 0)
            try await site.execute(
                """
                INSERT INTO push.message (hub, handles, format, content)
                VALUES ('shop', '{t1}', 'fcmv1', '{"message": {"data": {"k": "v"}}}')
                """)

            let process = fanfare.process(["run", "--log-level", "trace", "--log-format", "json"])
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try site.scratch.open("output")
            process.standardError = try site.scratch.open("log")
            let run = try ServiceBench.Process(process)
            // An answer, a hold, or the reason why there is no token.
            while try await site.number(
                """
                SELECT (SELECT count(*) FROM push.answers)
                       + (SELECT count(*) FROM push.hub_health WHERE state <> 'open')
                """) == 0
            { try Task.checkCancellation() }
            let shown = try await fanfare("hub", "show", "shop")
            run.signal(SIGTERM)
            #expect(await run.ended == 0)
            let sent = hub.requests.flatMap { $0.headers + [$0.body] }.joined()
            #expect(sent.contains("assertion=eyJ"), "nothing to give away")

            Self.expectClean(try site.scratch.read("log"), String(key), "the log")
            Self.expectClean(try site.scratch.read("output") + shown.output + shown.errors, String(key), "the output")
            for table in ["answers", "result", "hub_health", "message_status", "hub_state", "workers"] {
                let rows = try await site.text("SELECT coalesce(string_agg(t::text, ' '), '') FROM push.\(table) t")
                Self.expectClean(rows, String(key), "push.\(table)")
            }
            for command in [
                ["doctor", "--hub", "shop"],
                [
                    "send", "--hub", "shop", "--handle", "t1", "--format", "fcmv1",
                    "--content", #"{"message": {"data": {"k": "v"}}}"#, "--test",
                ],
            ] {
                let ended = try await fanfare.run(command)
                Self.expectClean(ended.output + ended.errors, String(key), command[0])
            }
        }
    }
}
