import ProgramSupport
import Foundation
import Glibc
import Postgres
import Testing

/// `fanfare-lab demo`, as bin/demo runs it.
@Suite(.serialized) struct DemoCommandTests {
    private let fanfare = BuiltProgram("fanfare-lab", settings: nil)

    @Test func aDemoProvesWhatItClaimsAndLeavesNothingBehind() async throws {
        let ended = try await fanfare("demo", "--messages", "2000", "--json")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.errors.isEmpty)
        let facts = try ended.json([String: Any].self)
        #expect(facts["ok"] as? Bool == true)
        let claims = try #require(facts["claims"] as? [[String: Any]])
        #expect(claims.count == 8)
        #expect(claims.allSatisfy { $0["holds"] as? Bool == true })
        #expect((facts["results"] as? [Any])?.count == 17)
        #expect((facts["posts"] as? [Any])?.count == 6)
        #expect(facts["notifications"] as? Int == 18)
        #expect(facts["lost"] as? Int == 0)
        let load = try #require(facts["load"] as? [String: Any])
        #expect(load["taken_once"] as? Int == 2_000)
        #expect(load["accepted"] as? Int == 2_000)
        let traces = ServerTraces(directory: try #require(facts["directory"] as? String))
        #expect(traces.directory.contains("fanfare-pg-"))
        #expect(!traces.isDirectoryThere)
        #expect(traces.processes.isEmpty)
    }

    @Test func everyPhoneShowsItsLanguage() async throws {
        let facts = try await fanfare("demo", "--json").json([String: Any].self)
        let phones = try #require(facts["phones"] as? [[String: Any]])
        func shows(_ id: String) throws -> [String?] {
            let phone = try #require(phones.first { $0["id"] as? String == id })
            return try #require(phone["shows"] as? [[String: Any]]).map { $0["title"] as? String }
        }
        #expect(try shows("alice") == ["Climate accord reached", "Budget passes by two votes"])
        #expect(try shows("louis") == ["Les banques centrales baissent leurs taux", "Rechargée en huit minutes"])
        #expect(try shows("chenjing") == ["系外行星上发现水", "Marathon under two hours"])
        #expect(facts["load"] is NSNull)
    }

    @Test func peopleReadThePartsInOrderWithoutTerminalCommands() async throws {
        let ended = try await fanfare("demo", "--messages", "100")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(!ended.output.contains("\u{1B}"))
        #expect(!ended.output.contains("✗"))
        let parts = [
            "\n1  ", "INSERT INTO", "\n2  ", "\n3  ", "李娜", "\n4  ", "\n5  ", "100 of 100", "\n6  ", "Next steps",
        ]
        var rest = ended.output[...]
        for part in parts {
            let found = try #require(rest.range(of: part), "\(part) is missing or in the wrong place")
            rest = rest[found.upperBound...]
        }
        let widths = ended.output.split(separator: "\n").filter { $0.contains("│") }.map { $0.count }
        #expect(widths.count > 30)
    }

    @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
    func aSignalInTheMiddleLeavesNothingBehind(signal: Int32, status: Int32) async throws {
        let demo = try RunningProgram(fanfare, "demo", "--messages", "1000000")
        try await demo.printed("in flight", times: 2)
        let traces = try #require(ServerTraces.ofServer(startedBy: demo.id))
        #expect(traces.isDirectoryThere)
        #expect(!traces.processes.isEmpty)
        demo.signal(signal)
        #expect(await demo.end == status)
        #expect(!traces.isDirectoryThere)
        #expect(traces.processes.isEmpty)
        #expect(demo.complaints.contains("nothing is left behind"))
    }

    @Test func aSignalWhileTheServerIsMadeLeavesNothingBehind() async throws {
        let demo = try RunningProgram(fanfare, "demo")
        try await demo.printed("needs nothing but this machine")
        var traces: ServerTraces?
        while traces == nil {
            try Task.checkCancellation()
            traces = ServerTraces.ofServer(startedBy: demo.id)
        }
        demo.signal(SIGINT)
        #expect(await demo.end == 130)
        #expect(traces?.isDirectoryThere == false)
        #expect(traces?.processes == [])
    }

    @Test func whileItStaysUpARowBecomesAPush() async throws {
        let demo = try RunningProgram(fanfare, "demo", "--keep")
        let output = try await demo.printed("What arrives is shown here:")
        let psql = try #require(output.firstMatch(of: /psql "(host=[^"]+)"/)).1
        let traces = try #require(ServerTraces.ofServer(startedBy: demo.id))
        #expect(psql.contains("host=\(traces.directory) "))
        let database = Database(DatabaseSettings(url: String(psql), maximumConnections: 1))
        try await database.execute(
            """
            INSERT INTO push.message (hub, tag, locale, content)
            VALUES ('news', 'Business', 'en', '{"title": "A test", "News": "of the demo"}')
            """)
        try await demo.printed("A test — of the demo", times: 3)
        await database.close()
        demo.signal(SIGINT)
        #expect(await demo.end == 0)
        #expect(!traces.isDirectoryThere)
        #expect(traces.processes.isEmpty)
    }

    @Test func aServiceOfTheUsersIsNotAsked() async throws {
        var fanfare = fanfare
        fanfare.environment = [
            "PGSERVICE": "production", "PGHOST": "db.example.com", "PGHOSTADDR": "192.0.2.1", "PGPORT": "1",
            "PGDATABASE": "production", "PGOPTIONS": "-c nonsense=1",
        ]
        let ended = try await fanfare("demo", "--json")
        #expect(ended.status == 0, "\(ended.errors)")
    }

    @Test(arguments: [
        ["--messages", "0"], ["--messages", "1000001"], ["--set", "dispatch.batch=1"], ["--config", "config.json"],
    ])
    func whatItCannotDoIsAWrongCommandLine(options: [String]) async throws {
        #expect(try await fanfare.run(["demo"] + options).status == 64)
    }
}
