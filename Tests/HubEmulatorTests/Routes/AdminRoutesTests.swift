import Foundation
import Testing

@testable import HubEmulator

/// `/_emulator/...`, as used by a test in another process.
@Suite struct AdminRoutesTests {
    private func admin(_ fixture: EmulatorFixture, _ method: String, _ path: String, _ body: String = "") async throws
        -> Client.Reply
    {
        try await fixture.exchange(fixture.request(method, "/_emulator/\(path)", token: "", headers: [:], body: body))
    }

    private func read<Value: Decodable>(_ fixture: EmulatorFixture, _ path: String, as _: Value.Type) async throws
        -> Value
    {
        let reply = try await admin(fixture, "GET", path)
        #expect(reply.status == 200)
        return try JSONDecoder().decode(Value.self, from: Data(reply.body.utf8))
    }

    @Test func theJournalIsReadInPages() async throws {
        try await EmulatorFixture.run { fixture in
            for number in 1...5 {
                #expect(try await fixture.exchange(fixture.send(to: "tag_\(number)")).status == 201)
            }
            let first = try await read(fixture, "journal?limit=2", as: JournalPage.self)
            #expect(first.entries.map(\.tags) == ["tag_1", "tag_2"])
            #expect(first.next == 2)
            let last = try await read(fixture, "journal?hub=news&since=3&limit=2", as: JournalPage.self)
            #expect(last.entries.map(\.number) == [4, 5])
            #expect(last.next == nil)
            #expect(last.entries == fixture.emulator.journal(after: 3))
            #expect(try await read(fixture, "journal?hub=sports", as: JournalPage.self).entries.isEmpty)
            #expect(try await read(fixture, "journal/count", as: JournalCount.self) == fixture.emulator.count())

            #expect(try await admin(fixture, "DELETE", "journal").status == 204)
            #expect(try await read(fixture, "journal/count", as: JournalCount.self) == JournalCount())
        }
    }

    @Test func aDevicesInboxIsRead() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(
                Installation(
                    "a/b", pushChannel: .handle("AB"), tags: ["World"], templates: ["t": #"{"aps":{"alert":"$(m)"}}"#]),
                at: "news")
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            for path in ["devices/a/b/inbox?hub=news", "devices/a%2Fb/inbox?hub=NEWS"] {
                let inbox = try await read(fixture, path, as: [ReceivedPush].self)
                #expect(inbox.map(\.alert?.body) == ["x"])
            }
            #expect(
                try await read(fixture, "devices", as: [String: [String]].self) == ["news": ["a/b"], "sports": []])
            #expect(
                try await admin(fixture, "GET", "devices/a/inbox").body
                    == #"{"error":"hub is missing: there are several"}"#)
        }
    }

    @Test func aHandlesInboxIsRead() async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await fixture.exchange(Batch(["https://push.example/a b", "AB"]).request(fixture))
            #expect(reply.status == 201)
            #expect(
                try await read(fixture, "handles", as: [String: [String]].self)
                    == ["news": ["AB", "https://push.example/a b"], "sports": []])
            #expect(try await read(fixture, "handles?hub=NEWS", as: [String: [String]].self).keys.sorted() == ["news"])
            // A handle that is a URL must be percent-encoded, because two slashes in a path count as one.
            for (handle, count) in [("https%3A%2F%2Fpush.example%2Fa%20b", 1), ("AB", 1), ("CD", 0)] {
                let inbox = try await read(fixture, "handles/\(handle)/inbox?hub=news", as: [ReceivedPush].self)
                #expect(inbox.count == count)
            }
            let page = try await read(fixture, "journal", as: JournalPage.self)
            #expect(page.entries.map(\.kind) == [.batch] && page.entries.map(\.handles) == [2])
        }
    }

    @Test func faultsAreAddedReadAndRemoved() async throws {
        try await EmulatorFixture.run { fixture in
            let faultScript = #"[{"hub":"news","nth":1,"status":429,"retryAfter":3},{"nth":2,"status":503}]"#
            let ordered = try await admin(fixture, "POST", "faults", faultScript)
            #expect(ordered.status == 201)
            #expect(ordered.body == #"{"numbers":[1,2]}"#)
            let reply = try await fixture.exchange(fixture.send(to: "World"))
            #expect(reply.status == 429 && reply.headers["retry-after"] == "3")
            let faults = try await read(fixture, "faults", as: [FaultReport].self)
            #expect(faults == fixture.emulator.faults)
            #expect(faults.map(\.struck) == [1, 0])
            #expect(try await admin(fixture, "DELETE", "faults").status == 204)
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
        }
    }

    @Test func oneInvalidFaultRejectsTheWholeList() async throws {
        try await EmulatorFixture.run { fixture in
            for (faultScript, reason) in [
                (#"[{"status":503},{"status":1}]"#, #"{"error":"[1]: status must be 200 to 599"}"#),
                (#"[{"status":503},{"status":500,"hub":"nowhere"}]"#, #"{"error":"there is no hub nowhere"}"#),
            ] {
                let reply = try await admin(fixture, "POST", "faults", faultScript)
                #expect(reply.status == 400)
                #expect(reply.body == reason)
            }
            #expect(fixture.emulator.faults.isEmpty)
        }
    }

    @Test func warningsAreReadAndCleared() async throws {
        try await EmulatorFixture.run { fixture in
            #expect(try await fixture.exchange(fixture.send(to: nil)).status == 201)
            let warnings = try await read(fixture, "warnings", as: [EmulatorWarning].self)
            #expect(warnings.map(\.kind) == [.noDevices, .broadcast])
            #expect(try await admin(fixture, "DELETE", "warnings").status == 204)
            #expect(fixture.emulator.warnings.isEmpty)
        }
    }

    @Test func metricsCountWhatHappened() async throws {
        try await EmulatorFixture.run { fixture in
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            #expect(try await fixture.exchange(fixture.request(token: "", body: "{}")).status == 401)
            let text = try await admin(fixture, "GET", "metrics").body
            for line in [
                #"fanfare_emulator_answers_total{hub="news",status="201"} 1"#,
                #"fanfare_emulator_answers_total{hub="news",status="401"} 1"#,
                #"fanfare_emulator_taken_total{hub="news"} 1"#, #"fanfare_emulator_taken_total{hub="sports"} 0"#,
                "# TYPE fanfare_emulator_devices gauge", #"fanfare_emulator_devices{hub="news"} 0"#,
            ] {
                #expect(text.contains(line + "\n"))
            }
        }
    }

    @Test(arguments: [
        ("GET", "nothing", 404), ("GET", "journal/x", 404), ("PUT", "journal", 405), ("POST", "warnings", 405),
        ("GET", "journal?since=x", 400), ("GET", "journal?limit=0", 400), ("GET", "journal?hub=x", 400),
        ("POST", "faults", 400), ("GET", "devices/x/y", 400),
        ("POST", "handles", 405), ("GET", "handles/x/y", 404), ("GET", "feedback/nowhere", 400),
    ])
    func anInvalidRequestGetsAnError(method: String, path: String, status: Int) async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await admin(fixture, method, path)
            #expect(reply.status == status)
            #expect(reply.body.hasPrefix(#"{"error":"#))
        }
    }

    @Test func oneFaultIsReadAndRemovedByNumber() async throws {
        try await EmulatorFixture.run { fixture in
            let set = try await fixture.exchange(
                fixture.request(
                    "POST", "/_emulator/faults", token: "", headers: [:],
                    body: #"[{"nth":1,"status":500},{"every":1,"status":503}]"#))
            #expect(set.body == #"{"numbers":[1,2]}"#)
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 500)
            let one = try await fixture.exchange(fixture.request("GET", "/_emulator/faults/1", token: "", headers: [:]))
            #expect(one.body == #"{"fault":{"nth":1,"status":500},"number":1,"struck":1}"#)
            let removal = try await fixture.exchange(
                fixture.request("DELETE", "/_emulator/faults/2", token: "", headers: [:]))
            #expect(removal.status == 204)
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            let again = try await fixture.exchange(
                fixture.request("DELETE", "/_emulator/faults/2", token: "", headers: [:]))
            #expect(again.status == 400)
        }
    }

    /// None of the faults is set.
    @Test func tooManyFaultsRejectTheWholeList() async throws {
        try await EmulatorFixture.run { fixture in
            let many = "[" + Array(repeating: #"{"status":500}"#, count: 1_001).joined(separator: ",") + "]"
            let reply = try await fixture.exchange(
                fixture.request("POST", "/_emulator/faults", token: "", headers: [:], body: many))
            #expect(reply.status == 400)
            #expect(fixture.emulator.faults.isEmpty)
        }
    }
}
