import ProgramSupport
import Foundation
import HubEmulator
import Testing

/// `fanfare installation import` and `export`.
@Suite struct InstallationMoveTests {
    private func line(_ id: String, handle: String = "00") -> String {
        #"{"installationId": "\#(id)", "platform": "apns", "pushChannel": "\#(handle)", "tags": ["World"]}"#
    }

    @Test func refusedLinesAreNamedAndTheOthersArePut() async throws {
        try await HubSite.run { site in
            var lines = (1...100).map { line("i\($0)") }
            lines[40] = #"{"installationId": "x", "platform": "apns", "pushChannel": "00", "tags": ["a b"]}"#
            lines[70] = "{"
            let template = #"{"body":"{\"a\":\"$(\"}"}"#
            lines[80] =
                #"{"installationId":"t","platform":"apns","pushChannel":"00","templates":{"t":\#(template)}}"#
            let file = try site.write("\u{FEFF}" + lines.joined(separator: "\r\n\r\n"), to: "in.jsonl")
            let ended = try await site.fanfare("installation", "import", "--hub", "news", file, "--json")
            #expect(ended.status == 65)
            let document = try ended.json([String: Any].self)
            #expect(document["put"] as? Int == 97)
            let refused = try #require(document["refused"] as? [[String: Any]])
            #expect(refused.compactMap { $0["line"] as? Int }.sorted() == [81, 141, 161])
            #expect(ended.errors.contains("fanfare: \(file), line 81: tags[0]: character 2: "), "\(ended.errors)")
            #expect(ended.errors.contains("fanfare: \(file), line 161, installation \"t\": hub replied 400: "))
            #expect(try site.emulator.devices(at: HubSite.hub).count == 97)
        }
    }

    @Test func aDryRunChecksEveryLineAndPutsNothing() async throws {
        try await HubSite.run { site in
            let input = [line("a"), "", #"{"installationId": "b"}"#].joined(separator: "\n")
            let ended = try await site.fanfare(
                "installation", "import", "--hub", "news", "-", "--dry-run", input: input)
            #expect(ended.status == 65)
            #expect(ended.output == "1 installation would be put; nothing was; 1 line refused\n")
            #expect(ended.errors.contains("fanfare: standard input, line 3: platform: it is missing"))
            #expect(try site.emulator.devices(at: HubSite.hub).isEmpty)
        }
    }

    @Test func whatWasExportedByIdCanBeImportedElsewhere() async throws {
        try await HubSite.run { site in
            let names = (1...50).map { "dev-\($0)" }
            for name in names { try site.register(name, handle: "AB") }
            let ids = try site.write(names.joined(separator: " \r\n") + "\n", to: "ids")
            let ended = try await site.fanfare(
                "installation", "export", "--hub", "news", "--ids", ids, "--output", site.path("out.jsonl"), "--json")
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(try ended.json([String: Any].self)["exported"] as? Int == 50)
            let mode = try FileManager.default.attributesOfItem(atPath: site.path("out.jsonl"))[.posixPermissions]
            #expect(mode as? Int == 0o600)
            try await HubSite.run { other in
                let moved = try await other.fanfare(
                    "installation", "import", "--hub", "news", site.path("out.jsonl"), "--at-once", "4")
                #expect(moved.status == 0, "\(moved.errors)")
                #expect(moved.output == "50 installations put\n")
                #expect(try other.emulator.devices(at: HubSite.hub) == names.sorted())
            }
        }
    }

    @Test func anExportToStandardOutputIsOneDocumentPerLine() async throws {
        try await HubSite.run { site in
            try site.register("a")
            try site.register("b")
            let ended = try await site.fanfare("installation", "export", "--hub", "news", "a", "b", "c")
            #expect(ended.status == 65)
            #expect(ended.errors.hasSuffix("2 installations exported, 1 not there\n"))
            let ids = try ended.output.split(separator: "\n").map { line in
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            }.compactMap { $0?["installationId"] as? String }
            #expect(ids.sorted() == ["a", "b"])
        }
    }

    @Test func aHubThatThrottlesIsWaitedFor() async throws {
        try await ScriptedHub.run { _, before in
            before < 3
                ? ScriptedHub.Answer(status: 429, headers: ["x-ms-retry-after-ms: 1"]) : ScriptedHub.Answer(status: 200)
        } _: { hub in
            let ended = try await hub.fanfare(
                "installation", "import", "--hub", "news", "-", "--at-once", "1", input: line("a") + "\n" + line("b"))
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(ended.output == "2 installations put\n")
            #expect(hub.requests.count == 5)
        }
    }

    @Test func aHubThatNeverStopsThrottlingEndsTheImport() async throws {
        try await ScriptedHub.run { _, _ in
            ScriptedHub.Answer(status: 429, headers: ["x-ms-retry-after-ms: 1"])
        } _: { hub in
            let ended = try await hub.fanfare(
                "installation", "import", "--hub", "news", "-", "--at-once", "1", input: line("a") + "\n" + line("b"))
            #expect(ended.status == 75)
            #expect(ended.output == "0 installations put\n")
            #expect(ended.errors.contains("hint: Try again in "))
            #expect(hub.requests.count == 10)
        }
    }

    @Test func aRefusedKeyEndsTheImportAtOnce() async throws {
        try await HubSite.run(key: "b3RoZXI=") { site in
            let lines = (1...200).map { line("i\($0)") }.joined(separator: "\n")
            let ended = try await site.fanfare("installation", "import", "--hub", "news", "-", "--json", input: lines)
            #expect(ended.status == 78)
            let document = try ended.json([String: Any].self)
            #expect(document["ended_by"] as? String == "auth_failed")
            #expect(document["put"] as? Int == 0)
            #expect((document["refused"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func aFileAppearsOnlyWhenItIsWhole() async throws {
        try await ScriptedHub.run { _, before in
            before == 0 ? ScriptedHub.Answer(status: 200, body: "{\"a\":\r\n1}") : ScriptedHub.Answer(status: 401)
        } _: { hub in
            let scratch = try ScratchDirectory()
            let path = scratch.path + "/out.jsonl"
            let ended = try await hub.fanfare(
                "installation", "export", "--hub", "news", "a", "b", "--at-once", "1", "--output", path)
            #expect(ended.status == 78)
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
            let one = try await hub.fanfare("installation", "export", "--hub", "news", "a", "--output", path)
            #expect(one.status == 78)
        }
    }

    @Test func aDocumentOfSeveralLinesBecomesOne() async throws {
        try await ScriptedHub.run { request, _ in
            let isCut = request.target.contains("/cut?")
            return ScriptedHub.Answer(status: 200, body: isCut ? "{\"a\":" : "{\"a\":\r\n\"b\"}\n")
        } _: { hub in
            let ended = try await hub.fanfare("installation", "export", "--hub", "news", "i", "cut", "--at-once", "1")
            #expect(ended.status == 65)
            #expect(ended.output == "{\"a\":  \"b\"} \n")
            #expect(ended.errors.contains(#"installation "cut": the hub's answer is not a whole JSON object"#))
        }
    }
}
