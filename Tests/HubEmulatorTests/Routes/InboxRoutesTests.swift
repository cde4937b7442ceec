import Foundation
import Testing

@testable import HubEmulator

/// The inboxes over HTTP: devices, pushes, waiting, clearing, and the check for duplicates.
@Suite struct InboxRoutesTests {
    struct Inbox: Decodable {
        var arrivals: [InboxPush]
        var next: Int?
        var error: String?
        var earlier: Int?
    }

    struct Devices: Decodable {
        var phones: [DeviceSummary]
        var total: Int
        var next: Int?
    }

    private func ask(_ fixture: EmulatorFixture, _ method: String, _ path: String, _ body: String = "") async throws
        -> Client.Reply
    {
        try await fixture.exchange(fixture.request(method, "/_emulator/\(path)", token: "", headers: [:], body: body))
    }

    private func read<Value: Decodable>(_ fixture: EmulatorFixture, _ path: String, as _: Value.Type, status: Int = 200)
        async throws -> Value
    {
        let reply = try await ask(fixture, "GET", path)
        #expect(reply.status == status, "\(reply.body)")
        return try JSONDecoder().decode(Value.self, from: Data(reply.body.utf8))
    }

    @Test func theDeviceWithTheNewestPushComesFirst() async throws {
        try await EmulatorFixture.run { fixture in
            for id in ["a", "b", "c"] {
                try fixture.emulator.register(EmulatorFixture.device(id, ["tag_\(id)"]), at: "news")
            }
            for tag in ["tag_c", "tag_b"] { #expect(try await fixture.exchange(fixture.send(to: tag)).status == 201) }
            let all = try await read(fixture, "phones", as: Devices.self)
            #expect(all.phones.map(\.id) == ["b", "c", "a"])
            #expect(all.phones.map(\.count) == [1, 1, 0] && all.total == 3 && all.next == nil)
            let first = try await read(fixture, "phones?limit=2&hub=news", as: Devices.self)
            #expect(first.phones.map(\.id) == ["b", "c"] && first.next == 2)
            let second = try await read(fixture, "phones?limit=2&offset=2", as: Devices.self)
            #expect(second.phones.map(\.id) == ["a"] && second.next == nil)
            #expect(try await read(fixture, "phones?hub=sports", as: Devices.self).phones.isEmpty)
        }
    }

    @Test func devicesAreFoundByTagIDUserAndText() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(EmulatorFixture.device("anna", ["World", "lang:fr"], user: "u1"), at: "news")
            try fixture.emulator.register(EmulatorFixture.device("bob", ["World"]), at: "news")
            try fixture.emulator.register(EmulatorFixture.device("bert", ["Sports"]), at: "sports")
            #expect(try await fixture.exchange(fixture.send(to: "lang:fr", #"{"m":"Salut le monde"}"#)).status == 201)
            for (query, ids) in [
                ("tag=world", ["anna", "bob"]), ("tag=nothing", []), ("text=b", ["bert", "bob"]), ("text=NN", ["anna"]),
                ("text=u1", ["anna"]),
                ("text=salut+LE", ["anna"]), ("tag=World&text=bo", ["bob"]), ("text=sports", ["bert"]),
                ("hub=sports&text=b", ["bert"]),
            ] {
                #expect(
                    try await read(fixture, "phones?\(query)", as: Devices.self).phones.map(\.id) == ids, "\(query)")
            }
            let anna = try await read(fixture, "phones?text=anna", as: Devices.self).phones.first
            #expect(anna?.language == "French · fr" && anna?.user == "u1" && anna?.templates == ["t"])
        }
    }

    @Test func pushesAreListedNewestFirst() async throws {
        try await EmulatorFixture.run { fixture in
            for id in ["a", "b"] {
                try fixture.emulator.register(EmulatorFixture.device(id, ["World", "tag_\(id)"]), at: "news")
            }
            for text in ["one", "two"] {
                #expect(try await fixture.exchange(fixture.send(to: "World", #"{"m":"\#(text)"}"#)).status == 201)
            }
            let first = try await read(fixture, "inbox?limit=3", as: Inbox.self)
            #expect(first.arrivals.map(\.order) == [4, 3, 2] && first.next == 2)
            #expect(first.arrivals.map(\.push.alert?.body) == ["two", "two", "one"])
            #expect(try await read(fixture, "inbox?before=2", as: Inbox.self).arrivals.map(\.device) == ["a"])
            #expect(try await read(fixture, "inbox?since=1&tag=TAG_B", as: Inbox.self).arrivals.map(\.order) == [4])
            #expect(try await read(fixture, "inbox?text=ONE", as: Inbox.self).arrivals.map(\.order) == [2, 1])
        }
    }

    @Test func aWaitEndsWhenEnoughPushesHaveArrived() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(EmulatorFixture.device("a", ["World"]), at: "news")
            #expect(try await fixture.exchange(fixture.send(to: "World", #"{"m":"one"}"#)).status == 201)
            async let waiting = read(
                fixture, "wait?device=a&hub=news&count=2&timeout=30&since=0", as: Inbox.self)
            #expect(try await fixture.exchange(fixture.send(to: "Nobody")).status == 201)
            #expect(try await fixture.exchange(fixture.send(to: "World", #"{"m":"two"}"#)).status == 201)
            let found = try await waiting
            #expect(found.arrivals.map(\.push.alert?.body) == ["one", "two"] && found.next == 3)
            #expect(
                try await read(fixture, "wait?tag=world&text=two&since=1", as: Inbox.self).arrivals.map(
                    \.push.number)
                    == [3])
        }
    }

    @Test func aWaitCanNameAHandle() async throws {
        try await EmulatorFixture.run { fixture in
            #expect(try await fixture.exchange(Batch(["AB", "CD"]).request(fixture)).status == 201)
            let found = try await read(fixture, "wait?handle=CD&hub=news&since=0", as: Inbox.self)
            #expect(found.arrivals.map(\.handle) == ["CD"] && found.arrivals.map(\.device) == [nil])
        }
    }

    @Test func aWaitThatTimesOutReturnsWhatArrived() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(EmulatorFixture.device("a", ["World"]), at: "news")
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            let found = try await read(
                fixture, "wait?device=a&hub=news&count=2&timeout=0&since=0", as: Inbox.self, status: 408)
            #expect(found.arrivals.count == 1 && found.error == "1 of 2 arrived within 0 s" && found.earlier == 0)
        }
    }

    /// A second run of the same test used to pass on what the first one left behind.
    @Test(arguments: ["", "&since=now", "&since=1"])
    func aWaitDoesNotCountOldArrivals(since: String) async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(EmulatorFixture.device("a", ["World"]), at: "news")
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            let found = try await read(fixture, "wait?tag=World&timeout=0\(since)", as: Inbox.self, status: 408)
            #expect(found.arrivals.isEmpty && found.earlier == 1 && found.next == 1)
        }
    }

    /// A test sends first and waits afterwards, from the number it read before.
    @Test func aWaitCountsFromANumberReadBefore() async throws {
        try await EmulatorFixture.run { fixture in
            try fixture.emulator.register(EmulatorFixture.device("a", ["World"]), at: "news")
            #expect(try await fixture.exchange(fixture.send(to: "World", #"{"m":"old"}"#)).status == 201)
            let status = try await read(fixture, "status", as: EmulatorStatus.self)
            #expect(status.number == 1)
            #expect(try await fixture.exchange(fixture.send(to: "World", #"{"m":"new"}"#)).status == 201)
            let found = try await read(fixture, "wait?tag=World&since=\(status.number)", as: Inbox.self)
            #expect(found.arrivals.map(\.push.alert?.body) == ["new"])
        }
    }

    @Test func oneInboxOrAllAreCleared() async throws {
        try await EmulatorFixture.run { fixture in
            for id in ["a", "b"] { try fixture.emulator.register(EmulatorFixture.device(id, ["World"]), at: "news") }
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            #expect(try await ask(fixture, "DELETE", "devices/a/inbox?hub=news").status == 204)
            #expect(try fixture.emulator.inbox(of: "a", at: "news").isEmpty)
            #expect(try await read(fixture, "inbox", as: Inbox.self).arrivals.map(\.device) == ["b"])
            #expect(try await read(fixture, "phones", as: Devices.self).phones.map(\.id) == ["b", "a"])
            #expect(try await ask(fixture, "DELETE", "inbox").status == 204)
            #expect(try await read(fixture, "inbox", as: Inbox.self).arrivals.isEmpty)
            #expect(fixture.emulator.count().taken == 1)
            #expect(try await fixture.exchange(fixture.send(to: "World")).status == 201)
            #expect(try await read(fixture, "inbox", as: Inbox.self).arrivals.map(\.device) == ["b", "a"])
        }
    }

    @Test func devicesArePutAndDeletedWithoutAKey() async throws {
        try await EmulatorFixture.run { fixture in
            let body = #"{"installationId":"a/b","platform":"apns","pushChannel":"AB","tags":["World"]}"#
            let added = try await ask(fixture, "PUT", "devices/a%2Fb?hub=news", body)
            #expect(added.status == 201)
            #expect(try await ask(fixture, "PUT", "devices/a%2Fb?hub=news", body).status == 200)
            #expect(try await read(fixture, "devices/a%2Fb?hub=news", as: Installation.self).tags == ["World"])
            #expect(try await ask(fixture, "PUT", "devices/c?hub=news", body).status == 400)
            #expect(try await ask(fixture, "PUT", "devices/a%2Fb", body).status == 400)
            #expect(try await ask(fixture, "DELETE", "devices/a%2Fb?hub=news").status == 204)
            #expect(try await ask(fixture, "DELETE", "devices/a%2Fb?hub=news").status == 404)
            #expect(try await ask(fixture, "GET", "devices/a%2Fb?hub=news").status == 404)
        }
    }

    @Test func duplicatesAreFound() async throws {
        try await EmulatorFixture.run { fixture in
            for id in ["1", "2", "1"] {
                #expect(try await fixture.exchange(fixture.send(to: "World", #"{"Id":"\#(id)"}"#)).status == 201)
            }
            let check = try await read(fixture, "journal/check?by=property&name=id", as: DuplicateCheck.Result.self)
            #expect(check.taken == 3 && check.values == 2 && check.without == 0 && !check.isExactlyOnce)
            #expect(check.repeated == [.init(value: "1", count: 2, numbers: [1, 3])])
            let tracking = try await read(fixture, "journal/check", as: DuplicateCheck.Result.self)
            #expect(tracking.without == 3 && !tracking.isExactlyOnce)
            #expect(
                try await read(fixture, "journal/check?hub=sports&by=property&name=id", as: DuplicateCheck.Result.self)
                    .isExactlyOnce)
        }
    }

    @Test(arguments: [
        "wait?count=0", "wait?count=1001", "wait?timeout=56", "wait?timeout=x", "wait?since=1", "wait?since=x",
        "wait?hub=x", "wait?device=a",
        "phones?limit=0", "phones?offset=-1", "inbox?limit=1001", "journal/check?by=x", "journal/check?by=property",
        "events?since=x", "page/events?hub=x", "page/events?clearings=x",
    ])
    func anInvalidRequestGetsAnError(path: String) async throws {
        try await EmulatorFixture.run { fixture in
            let reply = try await ask(fixture, "GET", path)
            #expect(reply.status == 400 && reply.body.hasPrefix(#"{"error":"#))
        }
    }

    @Test func manyDevicesArePaged() async throws {
        try await EmulatorFixture.run { fixture in
            for number in 0..<3_000 {
                try fixture.emulator.register(
                    Installation(
                        "device-\(String(number + 10_000))", pushChannel: .handle("AB"), tags: ["crowd", "n\(number)"],
                        templates: ["t": #"{"aps":{"alert":"$(m)"}}"#]), at: "news")
            }
            #expect(try await fixture.exchange(fixture.send(to: "n2999")).status == 201)
            let crowd = try await read(fixture, "phones?tag=crowd&limit=1", as: Devices.self)
            #expect(crowd.phones.map(\.id) == ["device-12999"])
            let last = try await read(fixture, "phones?offset=2999&limit=2", as: Devices.self)
            #expect(last.phones.map(\.id) == ["device-12998"] && last.next == nil && last.total == 3_000)
        }
    }
}
