import ProgramSupport
import Foundation
import HubEmulator
import Testing

/// `fanfare installation get`, `put` and `delete` against a hub.
@Suite struct InstallationTests {
    private let phone = ["--hub", "news", "--id", "phone", "--platform", "apns", "--handle", "00FF"]

    @Test func aDeviceThatWasPutGetsPushes() async throws {
        try await HubSite.run { site in
            let template = try site.write(#"{"aps":{"alert":"$(title)"}}"#, to: "apns.json")
            let put = try await site.fanfare.run(
                ["installation", "put"] + phone + ["--tag", "World", "--tag", "a:b", "--template", "news=@\(template)"])
            #expect(put.status == 0, "\(put.errors)")
            #expect(put.output == "phone: put\n")
            let send = try await site.fanfare("send", "--hub", "news", "--tag", "a:b", "--property", "title=Hi")
            #expect(send.status == 0)
            #expect(
                try site.emulator.inbox(of: "phone", at: HubSite.hub).map(\.payload) == [#"{"aps":{"alert":"Hi"}}"#])
        }
    }

    @Test func anInstallationIsShownToPeopleAndToPrograms() async throws {
        try await HubSite.run { site in
            try site.register("phone", tags: ["World", "b"])
            let text = try await site.fanfare("installation", "get", "--hub", "news", "phone").output
            #expect(
                text == """
                    installation  phone
                    platform      apns
                    handle        00FF
                    tags          World, b
                    templates     t
                    expires       9999-12-31T23:59:59.9999999Z
                    expired       no

                    """)
            let document = try await site.fanfare("installation", "get", "--hub", "news", "phone", "--json")
                .json([String: Any].self)
            #expect(document["installationId"] as? String == "phone")
            #expect(document["tags"] as? [String] == ["World", "b"])
        }
    }

    @Test func anInstallationThatIsNotThereIsBadInput() async throws {
        try await HubSite.run { site in
            let ended = try await site.fanfare("installation", "get", "--hub", "news", "nobody")
            #expect(ended.status == 65)
            #expect(ended.errors.contains(#"hub "news" has no such installation"#))
        }
    }

    @Test func aWholeInstallationComesFromAFile() async throws {
        try await HubSite.run { site in
            let json =
                #"{"installationId": "w", "platform": "browser", "tags": ["x"], "pushChannel": "#
                + #"{"endpoint": "https://push.example/1", "p256dh": "P", "auth": "A"}}"#
            let ended = try await site.fanfare(
                "installation", "put", "--hub", "news", "--file", "-", "--json", input: json)
            #expect(ended.status == 0, "\(ended.errors)")
            let answer = try #require(try ended.json([[String: Any]].self).first)
            #expect(answer["id"] as? String == "w")
            #expect(answer["done"] as? Bool == true)
            #expect(try site.emulator.devices(at: HubSite.hub) == ["w"])
        }
    }

    @Test func deletingTwiceIsNoFault() async throws {
        try await HubSite.run { site in
            try site.register("a")
            try site.register("b")
            let ended = try await site.fanfare("installation", "delete", "--hub", "news", "a", "a")
            #expect(ended.status == 0)
            #expect(ended.output == "a: deleted\na: deleted\n")
            #expect(try site.emulator.devices(at: HubSite.hub) == ["b"])
        }
    }

    @Test func anIdWithAnyCharactersIsFoundAgain() async throws {
        try await HubSite.run { site in
            for id in ["a b", "ü/ä?x=1&y#z", "%41", "{00-11}", "a+b"] {
                let put = try await site.fanfare(
                    "installation", "put", "--hub", "news", "--id", id, "--platform", "gcm", "--handle", "h")
                #expect(put.status == 0, "\(id): \(put.errors)")
                let read = try await site.fanfare("installation", "get", "--hub", "news", id, "--json")
                #expect(try read.json([String: Any].self)["installationId"] as? String == id)
            }
            #expect(try site.emulator.devices(at: HubSite.hub).count == 5)
            #expect(try await site.fanfare("installation", "get", "--hub", "news", "..").status == 65)
        }
    }

    @Test func aKeyForSendingAloneIsToldSo() async throws {
        try await HubSite.run(rights: [.send]) { site in
            for command in [["get", "phone"], ["delete", "phone"]] {
                let ended = try await site.fanfare.run(["installation", command[0], "--hub", "news", command[1]])
                #expect(ended.status == 78, "\(ended.errors)")
                #expect(ended.errors.contains("right"), "\(ended.errors)")
            }
        }
    }

    @Test(arguments: [
        ["--platform", "sms", "--handle", "00"], ["--platform", "apns", "--handle", "XYZ"],
        ["--platform", "gcm", "--handle", "h", "--tag", "a b"], ["--platform", "browser", "--handle", "h"],
        ["--platform", "gcm", "--handle", "h", "--template", "t=@/nowhere"],
    ])
    func whatIsNoInstallationIsBadInputAndNeverLeaves(options: [String]) async throws {
        try await HubSite.run { site in
            let ended = try await site.fanfare.run(["installation", "put", "--hub", "news", "--id", "i"] + options)
            #expect(ended.status == 65, "\(ended.errors)")
            #expect(try site.emulator.devices(at: HubSite.hub).isEmpty)
        }
    }

    @Test(arguments: [
        ["put", "--hub", "news"], ["put", "--hub", "news", "--id", "i"],
        ["put", "--hub", "news", "--file", "-", "--id", "i"], ["get", "--hub", "news"], ["get", "x"],
        ["delete", "--hub", "news"], ["patch", "--hub", "news", "i"],
        ["patch", "--hub", "news", "i", "--operations", "[]", "--add-tag", "a"],
        ["import", "--hub", "news"], ["import", "--hub", "news", "-", "--at-once", "0"],
        ["export", "--hub", "news", "--json"], ["export", "--hub", "news", "a", "--ids", "-"],
    ])
    func optionsThatMakeNoRequestAreWrongUsage(options: [String]) async throws {
        let ended = try await BuiltProgram(settings: nil).run(["installation"] + options)
        #expect(ended.status == 64, "\(ended.errors)")
        #expect(ended.errors.contains("hint: fanfare installation "), "\(ended.errors)")
    }
}
