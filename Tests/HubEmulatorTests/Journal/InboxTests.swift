import Foundation
import Testing

@testable import HubEmulator

/// The inboxes over HTTP: phones, arrivals, waiting, clearing, and whether anything was taken twice.
@Suite struct InboxTests {
    struct Arrivals: Decodable {
        var arrivals: [InboxPush]
        var next: Int?
        var error: String?
    }

    struct Phones: Decodable {
        var phones: [DeviceSummary]
        var total: Int
        var next: Int?
    }

    static func device(_ id: String, _ tags: [String], user: String? = nil) -> Installation {
        Installation(
            id, pushChannel: .handle("AB"), user: user, tags: tags, templates: ["t": #"{"aps":{"alert":"$(m)"}}"#])
    }

    private func ask(_ bench: Bench, _ method: String, _ path: String, _ body: String = "") async throws
        -> Client.Reply
    {
        try await bench.exchange(bench.request(method, "/_emulator/\(path)", token: "", headers: [:], body: body))
    }

    private func read<Value: Decodable>(_ bench: Bench, _ path: String, as _: Value.Type, status: Int = 200)
        async throws -> Value
    {
        let reply = try await ask(bench, "GET", path)
        #expect(reply.status == status, "\(reply.body)")
        return try JSONDecoder().decode(Value.self, from: Data(reply.body.utf8))
    }

    @Test func thePhoneWithTheNewestActivityComesFirst() async throws {
        try await Bench.run { bench in
            for id in ["a", "b", "c"] { try bench.emulator.register(Self.device(id, ["tag_\(id)"]), at: "news") }
            for tag in ["tag_c", "tag_b"] { #expect(try await bench.exchange(bench.send(to: tag)).status == 201) }
            let all = try await read(bench, "phones", as: Phones.self)
            #expect(all.phones.map(\.id) == ["b", "c", "a"])
            #expect(all.phones.map(\.count) == [1, 1, 0] && all.total == 3 && all.next == nil)
            let first = try await read(bench, "phones?limit=2&hub=news", as: Phones.self)
            #expect(first.phones.map(\.id) == ["b", "c"] && first.next == 2)
            let second = try await read(bench, "phones?limit=2&offset=2", as: Phones.self)
            #expect(second.phones.map(\.id) == ["a"] && second.next == nil)
            #expect(try await read(bench, "phones?hub=sports", as: Phones.self).phones.isEmpty)
        }
    }

    @Test func phonesAreFoundByTagIdUserAndText() async throws {
        try await Bench.run { bench in
            try bench.emulator.register(Self.device("anna", ["World", "lang:fr"], user: "u1"), at: "news")
            try bench.emulator.register(Self.device("bob", ["World"]), at: "news")
            try bench.emulator.register(Self.device("bert", ["Sports"]), at: "sports")
            #expect(try await bench.exchange(bench.send(to: "lang:fr", #"{"m":"Salut le monde"}"#)).status == 201)
            for (query, ids) in [
                ("tag=world", ["anna", "bob"]), ("tag=nothing", []), ("text=b", ["bert", "bob"]), ("text=u1", ["anna"]),
                ("text=salut+LE", ["anna"]), ("tag=World&text=bo", ["bob"]), ("text=sports", ["bert"]),
                ("hub=sports&text=b", ["bert"]),
            ] {
                #expect(try await read(bench, "phones?\(query)", as: Phones.self).phones.map(\.id) == ids, "\(query)")
            }
            let anna = try await read(bench, "phones?text=anna", as: Phones.self).phones.first
            #expect(anna?.language == "French · fr" && anna?.user == "u1" && anna?.templates == ["t"])
        }
    }

    @Test func arrivalsAreListedNewestFirst() async throws {
        try await Bench.run { bench in
            for id in ["a", "b"] { try bench.emulator.register(Self.device(id, ["World", "tag_\(id)"]), at: "news") }
            for text in ["one", "two"] {
                #expect(try await bench.exchange(bench.send(to: "World", #"{"m":"\#(text)"}"#)).status == 201)
            }
            let first = try await read(bench, "inbox?limit=3", as: Arrivals.self)
            #expect(first.arrivals.map(\.order) == [4, 3, 2] && first.next == 2)
            #expect(first.arrivals.map(\.push.alert?.body) == ["two", "two", "one"])
            #expect(try await read(bench, "inbox?before=2", as: Arrivals.self).arrivals.map(\.device) == ["a"])
            #expect(try await read(bench, "inbox?since=1&tag=TAG_B", as: Arrivals.self).arrivals.map(\.order) == [4])
            #expect(try await read(bench, "inbox?text=ONE", as: Arrivals.self).arrivals.map(\.order) == [2, 1])
        }
    }

    @Test func aWaitEndsWhenEnoughHasArrived() async throws {
        try await Bench.run { bench in
            try bench.emulator.register(Self.device("a", ["World"]), at: "news")
            #expect(try await bench.exchange(bench.send(to: "World", #"{"m":"one"}"#)).status == 201)
            async let waiting = read(
                bench, "wait?device=a&hub=news&count=2&timeout=30", as: Arrivals.self)
            #expect(try await bench.exchange(bench.send(to: "Nobody")).status == 201)
            #expect(try await bench.exchange(bench.send(to: "World", #"{"m":"two"}"#)).status == 201)
            let found = try await waiting
            #expect(found.arrivals.map(\.push.alert?.body) == ["one", "two"] && found.next == 3)
            #expect(
                try await read(bench, "wait?tag=world&text=two&since=1", as: Arrivals.self).arrivals.map(\.push.number)
                    == [3])
        }
    }

    @Test func aHandleIsWaitedFor() async throws {
        try await Bench.run { bench in
            #expect(try await bench.exchange(Batch(["AB", "CD"]).request(bench)).status == 201)
            let found = try await read(bench, "wait?handle=CD&hub=news", as: Arrivals.self)
            #expect(found.arrivals.map(\.handle) == ["CD"] && found.arrivals.map(\.device) == [nil])
        }
    }

    @Test func aWaitThatIsOverSaysWhatDidCome() async throws {
        try await Bench.run { bench in
            try bench.emulator.register(Self.device("a", ["World"]), at: "news")
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)
            let found = try await read(
                bench, "wait?device=a&hub=news&count=2&timeout=0", as: Arrivals.self, status: 408)
            #expect(found.arrivals.count == 1 && found.error == "1 of 2 arrived within 0 s")
        }
    }

    @Test func oneInboxIsClearedOrAll() async throws {
        try await Bench.run { bench in
            for id in ["a", "b"] { try bench.emulator.register(Self.device(id, ["World"]), at: "news") }
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)
            #expect(try await ask(bench, "DELETE", "devices/a/inbox?hub=news").status == 204)
            #expect(try bench.emulator.inbox(of: "a", at: "news").isEmpty)
            #expect(try await read(bench, "inbox", as: Arrivals.self).arrivals.map(\.device) == ["b"])
            #expect(try await read(bench, "phones", as: Phones.self).phones.map(\.id) == ["b", "a"])
            #expect(try await ask(bench, "DELETE", "inbox").status == 204)
            #expect(try await read(bench, "inbox", as: Arrivals.self).arrivals.isEmpty)
            #expect(bench.emulator.count().taken == 1)
            #expect(try await bench.exchange(bench.send(to: "World")).status == 201)
            #expect(try await read(bench, "inbox", as: Arrivals.self).arrivals.map(\.device) == ["b", "a"])
        }
    }

    @Test func devicesArePutInAndTakenOutByHand() async throws {
        try await Bench.run { bench in
            let body = #"{"installationId":"a/b","platform":"apns","pushChannel":"AB","tags":["World"]}"#
            let added = try await ask(bench, "PUT", "devices/a%2Fb?hub=news", body)
            #expect(added.status == 201)
            #expect(try await ask(bench, "PUT", "devices/a%2Fb?hub=news", body).status == 200)
            #expect(try await read(bench, "devices/a%2Fb?hub=news", as: Installation.self).tags == ["World"])
            #expect(try await ask(bench, "PUT", "devices/c?hub=news", body).status == 400)
            #expect(try await ask(bench, "PUT", "devices/a%2Fb", body).status == 400)
            #expect(try await ask(bench, "DELETE", "devices/a%2Fb?hub=news").status == 204)
            #expect(try await ask(bench, "DELETE", "devices/a%2Fb?hub=news").status == 404)
            #expect(try await ask(bench, "GET", "devices/a%2Fb?hub=news").status == 404)
        }
    }

    @Test func whatWasTakenTwiceIsFound() async throws {
        try await Bench.run { bench in
            for id in ["1", "2", "1"] {
                #expect(try await bench.exchange(bench.send(to: "World", #"{"Id":"\#(id)"}"#)).status == 201)
            }
            let check = try await read(bench, "journal/check?by=property&name=id", as: DuplicateCheck.Result.self)
            #expect(check.taken == 3 && check.values == 2 && check.without == 0 && !check.isExactlyOnce)
            #expect(check.repeated == [.init(value: "1", count: 2, numbers: [1, 3])])
            let tracking = try await read(bench, "journal/check", as: DuplicateCheck.Result.self)
            #expect(tracking.without == 3 && !tracking.isExactlyOnce)
            #expect(
                try await read(bench, "journal/check?hub=sports&by=property&name=id", as: DuplicateCheck.Result.self)
                    .isExactlyOnce)
        }
    }

    @Test(arguments: [
        "wait?count=0", "wait?count=1001", "wait?timeout=56", "wait?timeout=x", "wait?hub=x", "wait?device=a",
        "phones?limit=0", "phones?offset=-1", "inbox?limit=1001", "journal/check?by=x", "journal/check?by=property",
        "events?since=x", "page/events?hub=x",
    ])
    func aWrongQuestionGetsAClearNo(path: String) async throws {
        try await Bench.run { bench in
            let reply = try await ask(bench, "GET", path)
            #expect(reply.status == 400 && reply.body.hasPrefix(#"{"error":"#))
        }
    }

    @Test func aCrowdIsPagedWithoutLookingAtEveryone() async throws {
        try await Bench.run { bench in
            for number in 0..<3_000 {
                try bench.emulator.register(
                    Installation(
                        "device-\(String(number + 10_000))", pushChannel: .handle("AB"), tags: ["crowd", "n\(number)"],
                        templates: ["t": #"{"aps":{"alert":"$(m)"}}"#]), at: "news")
            }
            #expect(try await bench.exchange(bench.send(to: "n2999")).status == 201)
            let crowd = try await read(bench, "phones?tag=crowd&limit=1", as: Phones.self)
            #expect(crowd.phones.map(\.id) == ["device-12999"])
            let last = try await read(bench, "phones?offset=2999&limit=2", as: Phones.self)
            #expect(last.phones.map(\.id) == ["device-12998"] && last.next == nil && last.total == 3_000)
        }
    }
}
