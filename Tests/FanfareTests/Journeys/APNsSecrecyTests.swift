import Foundation
import Glibc
import ProgramSupport
import TestSupport
import Testing

/// The key of a hub of kind `apns` and its provider tokens are nowhere to be read, whatever APNs answers.
@Suite(.serialized, .timeLimit(.minutes(10))) struct APNsSecrecyTests {
    private static func expectClean(_ text: String, _ site: APNsSite, _ what: String) {
        for secret in ["PRIVATE KEY"] + site.secrets {
            #expect(!text.contains(secret), "\(what) holds \(secret.prefix(12))…")
        }
        #expect(!text.contains(/eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}/), "\(what) holds a token")
    }

    @Test(
        arguments: [
            (200, nil), (400, "BadDeviceToken"), (403, "InvalidProviderToken"), (403, "ExpiredProviderToken"),
            (429, "TooManyProviderTokenUpdates"), (503, "ServiceUnavailable"),
        ] as [(Int, String?)])
    func aWorkerKeepsItsKeyWhateverIsAnswered(status: Int, reason: String?) async throws {
        let database = try await Site.make()
        try await APNsSite.run(database: database.url) { site in
            #expect(try await site.fanfare("migrate", "up").status == 0)
            try await database.execute(
                """
                INSERT INTO push.message (hub, handles, format, content)
                VALUES ('ios', '{00ff}', 'apple', '{"aps": {"alert": "Hello"}}')
                """)
            if status != 200 { try site.fail(status, reason) }
            let process = site.fanfare.process(["run", "--log-level", "trace", "--log-format", "json"])
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = try site.scratch.open("output")
            process.standardError = try site.scratch.open("log")
            let run = try ServiceBench.Process(process)
            while try await database.number(
                """
                SELECT (SELECT count(*) FROM push.answers)
                       + (SELECT count(*) FROM push.hub_health WHERE state <> 'open')
                """) == 0
            { try Task.checkCancellation() }
            run.signal(SIGUSR1)
            let shown = try await site.fanfare("hub", "show", "ios")
            let arguments = try String(contentsOfFile: "/proc/\(run.id)/cmdline", encoding: .utf8)
            let environment = try String(contentsOfFile: "/proc/\(run.id)/environ", encoding: .utf8)
            run.signal(SIGTERM)
            #expect(await run.ended == 0)
            #expect(!site.emulator.journal().isEmpty, "nothing to give away")

            Self.expectClean(try site.scratch.read("log"), site, "the log")
            Self.expectClean(try site.scratch.read("output") + shown.output + shown.errors, site, "the output")
            Self.expectClean(arguments + environment, site, "ps")
            for table in ["answers", "result", "hub_health", "message_status", "hub_state", "workers", "hub"] {
                let rows = try await database.text("SELECT coalesce(string_agg(t::text, ' '), '') FROM push.\(table) t")
                Self.expectClean(rows, site, "push.\(table)")
            }
            for command in [
                ["doctor", "--hub", "ios"], ["config", "print"],
                [
                    "send", "--hub", "ios", "--handle", "00ff", "--format", "apple", "--content",
                    #"{"aps": {"alert": "x"}}"#,
                ],
            ] {
                let ended = try await site.fanfare.run(command)
                Self.expectClean(ended.output + ended.errors, site, command[0])
            }
        }
    }
}
