import Foundation
import Testing

@testable import HubEmulator

/// `/_emulator/...`, as a test in another process uses it.
@Suite struct AdminTests {
    private func admin(_ bench: Bench, _ method: String, _ path: String, _ body: String = "") async throws
        -> Client.Reply
    {
        try await bench.exchange(bench.request(method, "/_emulator/\(path)", token: "", headers: [:], body: body))
    }

    private func read<Value: Decodable>(_ bench: Bench, _ path: String, as _: Value.Type) async throws -> Value {
        let reply = try await admin(bench, "GET", path)
        #expect(reply.status == 200)
        return try JSONDecoder().decode(Value.self, from: Data(reply.body.utf8))
    }

    @Test func theJournalIsReadInPages() async throws {
        try await Bench.run { bench in
            for number in 1...5 {
                #expect(try await bench.exchange(bench.send(to: "tag_\(number)")).status == 201)
            }
            let first = try await read(bench, "journal?limit=2", as: JournalPage.self)
            #expect(first.entries.map(\.tags) == ["tag_1", "tag_2"])
            #expect(first.next == 2)
            let last = try await read(bench, "journal?hub=news&since=3&limit=2", as: JournalPage.self)
            #expect(last.entries.map(\.number) == [4, 5])
            #expect(last.next == nil)
            #expect(last.entries == bench.emulator.journal(after: 3))
            #expect(try await read(bench, "journal?hub=sports", as: JournalPage.self).entries.isEmpty)
            #expect(try await read(bench, "journal/count", as: JournalCount.self) == bench.emulator.count())

            #expect(try await admin(bench, "DELETE", "journal").status == 204)
            #expect(try await read(bench, "journal/count", as: JournalCount.self) == JournalCount())
        }
    }

    @Test func aDevicesInboxIsRead() async throws {
        try await Bench.run { bench in
            try bench.emulator.register(
                Installation(
                    "a/b", pushChannel: .handle("AB"), tags: ["World"], templates: ["t": #"{"aps":{"alert":"$(m)"}}"#]),
                at: "news")
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)
            for path in ["devices/a/b/inbox?hub=news", "devices/a%2Fb/inbox?hub=NEWS"] {
                let inbox = try await read(bench, path, as: [ReceivedPush].self)
                #expect(inbox.map(\.alert?.body) == ["x"])
            }
            #expect(
                try await read(bench, "devices", as: [String: [String]].self) == ["news": ["a/b"], "sports": []])
            #expect(
                try await admin(bench, "GET", "devices/a/inbox").body
                    == #"{"error":"hub is missing: there are several"}"#)
        }
    }

    @Test func aHandlesInboxIsRead() async throws {
        try await Bench.run { bench in
            let reply = try await bench.exchange(Batch(["https://push.example/a b", "AB"]).request(bench))
            #expect(reply.status == 201)
            #expect(
                try await read(bench, "handles", as: [String: [String]].self)
                    == ["news": ["AB", "https://push.example/a b"], "sports": []])
            #expect(try await read(bench, "handles?hub=NEWS", as: [String: [String]].self).keys.sorted() == ["news"])
            // An address has to be percent-encoded, because two slashes in a path are one.
            for (handle, count) in [("https%3A%2F%2Fpush.example%2Fa%20b", 1), ("AB", 1), ("CD", 0)] {
                let inbox = try await read(bench, "handles/\(handle)/inbox?hub=news", as: [ReceivedPush].self)
                #expect(inbox.count == count)
            }
            let page = try await read(bench, "journal", as: JournalPage.self)
            #expect(page.entries.map(\.kind) == [.batch] && page.entries.map(\.handles) == [2])
        }
    }

    @Test func faultsAreOrderedReadAndTakenBack() async throws {
        try await Bench.run { bench in
            let script = #"[{"hub":"news","nth":1,"status":429,"retryAfter":3},{"nth":2,"status":503}]"#
            let ordered = try await admin(bench, "POST", "faults", script)
            #expect(ordered.status == 201)
            #expect(ordered.body == #"{"numbers":[1,2]}"#)
            let reply = try await bench.exchange(bench.send(to: "World"))
            #expect(reply.status == 429 && reply.headers["retry-after"] == "3")
            let faults = try await read(bench, "faults", as: [FaultReport].self)
            #expect(faults == bench.emulator.faults)
            #expect(faults.map(\.struck) == [1, 0])
            #expect(try await admin(bench, "DELETE", "faults").status == 204)
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)
        }
    }

    @Test func oneBadFaultOfSeveralSetsNone() async throws {
        try await Bench.run { bench in
            for (script, reason) in [
                (#"[{"status":503},{"status":1}]"#, #"{"error":"[1]: status must be 200 to 599"}"#),
                (#"[{"status":503},{"status":500,"hub":"nowhere"}]"#, #"{"error":"there is no hub nowhere"}"#),
            ] {
                let reply = try await admin(bench, "POST", "faults", script)
                #expect(reply.status == 400)
                #expect(reply.body == reason)
            }
            #expect(bench.emulator.faults.isEmpty)
        }
    }

    @Test func warningsAreReadAndForgotten() async throws {
        try await Bench.run { bench in
            #expect(try await bench.exchange(bench.send(to: nil)).status == 201)
            let warnings = try await read(bench, "warnings", as: [EmulatorWarning].self)
            #expect(warnings.map(\.kind) == [.noDevices, .broadcast])
            #expect(try await admin(bench, "DELETE", "warnings").status == 204)
            #expect(bench.emulator.warnings.isEmpty)
        }
    }

    @Test func metricsCountWhatHappened() async throws {
        try await Bench.run { bench in
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)
            #expect(try await bench.exchange(bench.request(token: "", body: "{}")).status == 401)
            let text = try await admin(bench, "GET", "metrics").body
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
    func aWrongQuestionGetsAClearNo(method: String, path: String, status: Int) async throws {
        try await Bench.run { bench in
            let reply = try await admin(bench, method, path)
            #expect(reply.status == status)
            #expect(reply.body.hasPrefix(#"{"error":"#))
        }
    }
}
