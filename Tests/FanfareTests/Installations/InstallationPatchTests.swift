import Foundation
import HubEmulator
import Testing

/// `fanfare installation patch`, and `export` of a whole hub.
@Suite struct InstallationPatchTests {
    @Test func tagsComeAndGoAndTheRestStays() async throws {
        try await HubSite.run { site in
            try site.register("phone", tags: ["World", "old"])
            let ended = try await site.fanfare(
                "installation", "patch", "--hub", "news", "phone", "--add-tag", "a:1", "--add-tag", "b", "--remove-tag",
                "old")
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(ended.output == "phone: changed\n")
            let read = try await site.fanfare("installation", "get", "--hub", "news", "phone", "--json")
            let document = try read.json([String: Any].self)
            #expect(Set(try #require(document["tags"] as? [String])) == ["World", "a:1", "b"])
            #expect(document["templates"] != nil)
        }
    }

    @Test func operationsComeFromAFile() async throws {
        try await HubSite.run { site in
            try site.register("phone")
            let file = try site.write(
                #"""
                [{"op": "replace", "path": "/pushChannel", "value": "ABCD"},
                 {"op": "add", "path": "/templates/second", "value": "{\"body\": \"{\\\"aps\\\":{\\\"alert\\\":\\\"$(x)\\\"}}\"}"},
                 {"op": "remove", "path": "/templates/t"}]
                """#, to: "patch.json")
            let ended = try await site.fanfare(
                "installation", "patch", "--hub", "news", "phone", "--operations", "@\(file)", "--json")
            #expect(ended.status == 0, "\(ended.errors)")
            let text = try await site.fanfare("installation", "get", "--hub", "news", "phone").output
            #expect(text.contains("handle        ABCD\n"))
            #expect(text.contains("templates     second\n"))
        }
    }

    @Test func anInstallationThatIsNotThereCannotBeChanged() async throws {
        try await HubSite.run { site in
            let ended = try await site.fanfare("installation", "patch", "--hub", "news", "nobody", "--add-tag", "a")
            #expect(ended.status == 65, "\(ended.errors)")
            #expect(ended.errors.contains(#"hub "news" has no such installation"#))
        }
    }

    @Test(arguments: [
        ["--add-tag", "a b"], ["--operations", "{}"], ["--operations", #"[{"op":"add","path":"/x","value":"y"}]"#],
    ])
    func aChangeTheServiceWouldRefuseNeverLeaves(options: [String]) async throws {
        try await HubSite.run { site in
            let ended = try await site.fanfare.run(["installation", "patch", "--hub", "news", "phone"] + options)
            #expect(ended.status == 65, "\(ended.errors)")
            #expect(!ended.errors.contains("hub replied"))
        }
    }

    @Test func aWholeHubIsExportedPageByPage() async throws {
        try await HubSite.run { site in
            // Two registrations each, 260 together: three pages of 100.
            for number in 1...130 { try site.register("dev-\(number)") }
            let path = site.path("all.jsonl")
            let ended = try await site.fanfare("installation", "export", "--hub", "news", "--output", path, "--json")
            #expect(ended.status == 0, "\(ended.errors)")
            let document = try ended.json([String: Any].self)
            #expect(document["exported"] as? Int == 130)
            #expect(document["other_registrations"] as? Int == 0)
            let lines = try site.read("all.jsonl").split(separator: "\n")
            let ids = try lines.compactMap { line in
                try (JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["installationId"]
                    as? String
            }
            #expect(ids.count == 130)
            #expect(Set(ids) == Set((1...130).map { "dev-\($0)" }))
        }
    }

    @Test func pagesThatAreTooLargeAreAskedForInSmallerParts() async throws {
        try await HubSite.run { site in
            let long = String(repeating: "x", count: 3000)
            for number in 1...40 {
                try site.emulator.register(
                    Installation(
                        "big-\(number)", pushChannel: .handle("00FF"),
                        templates: ["t": #"{"aps":{"alert":"\#(long)"}}"#]), at: HubSite.hub)
            }
            let ended = try await site.fanfare("installation", "export", "--hub", "news")
            #expect(ended.status == 0, "\(ended.errors)")
            #expect(ended.errors.hasSuffix("40 installations exported\n"), "\(ended.errors)")
        }
    }
}
