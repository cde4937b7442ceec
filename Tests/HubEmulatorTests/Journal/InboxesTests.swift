import Testing

@testable import HubEmulator

@Suite struct InboxesTests {
    private func push(_ number: Int) -> ReceivedPush { ReceivedPush(number: number, at: 0, payload: "p") }
    private func owner(_ name: Int) -> InboxKey { .device("\(name)", hub: "news") }

    @Test func theOldestSendsAreDroppedFirst() {
        var inboxes = Inboxes(keptPerOwner: 100, kept: 40)
        for send in 1...20 {
            for device in 1...4 { inboxes.keep(push(send), in: owner(device)) }
        }
        for device in 1...4 {
            let numbers = inboxes[owner(device)].map(\.number)
            #expect(numbers.last == 20)
            #expect(numbers.count <= 10 && numbers.count >= 7)
            #expect(numbers == Array((21 - numbers.count)...20))
        }
    }

    @Test func theFirstPushesOfATooLargeSendAreKept() {
        var inboxes = Inboxes(keptPerOwner: 100, kept: 10)
        inboxes.keep(push(1), in: owner(99))
        for device in 1...50 { inboxes.keep(push(2), in: owner(device)) }
        #expect((1...50).filter { inboxes.has(owner($0)) } == Array(1...10))
        #expect(!inboxes.has(owner(99)))
        inboxes.keep(push(3), in: owner(99))
        #expect(inboxes[owner(99)].map(\.number) == [3])
    }

    @Test func anOwnerKeepsItsNewestPushes() {
        var inboxes = Inboxes(keptPerOwner: 3, kept: 1_000)
        for send in 1...50 { inboxes.keep(push(send), in: owner(1)) }
        #expect(inboxes[owner(1)].map(\.number) == [48, 49, 50])
        inboxes.forget(owner(1))
        #expect(inboxes[owner(1)].isEmpty)
    }

    @Test func aHubBoundsAllItsInboxes() async throws {
        try await EmulatorFixture.run({ $0.keptPushes = 8 }) { fixture in
            for number in 1...4 {
                try fixture.emulator.register(
                    Installation("i\(number)", pushChannel: .handle("AB"), templates: ["t": "{}"]), at: "news")
            }
            for _ in 1...5 { #expect(try await fixture.exchange(fixture.send(to: "t")).status == 201) }
            let kept = try (1...4).map { try fixture.emulator.inbox(of: "i\($0)", at: "news").map(\.number) }
            #expect(kept == Array(repeating: [4, 5], count: 4))
            #expect(fixture.emulator.count().shown == 20)
        }
    }
}
