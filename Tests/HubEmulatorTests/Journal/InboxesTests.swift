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

    /// One device gets sends for days: its inbox is bounded, and so is what is known of those sends.
    @Test func sendsWithoutKeptPushesAreForgotten() {
        var inboxes = Inboxes(keptPerOwner: 3, kept: 1_000_000)
        for send in 1...50_000 { inboxes.keep(push(send), in: owner(send % 2)) }
        #expect(inboxes.sendCount < 2_000)
        #expect(inboxes[owner(1)].map(\.number) == [49_995, 49_997, 49_999])
        // The limit over all inboxes still drops the oldest sends first.
        var few = Inboxes(keptPerOwner: 2, kept: 8)
        for send in 1...5_000 { few.keep(push(send), in: owner(send % 3)) }
        for send in 5_001...5_004 { few.keep(push(send), in: owner(send)) }
        #expect((5_001...5_004).allSatisfy { few.has(owner($0)) })
        #expect((0...3).reduce(0) { $0 + few[owner($1)].count } <= 8)
    }

    @Test func clearedInboxesOfDevicesTakeNoMemory() {
        var inboxes = Inboxes(keptPerOwner: 3, kept: 1_000)
        for device in 1...5_000 {
            inboxes.keep(push(device), in: owner(device))
            inboxes.empty(owner(device))
        }
        #expect(inboxes.count == 0)
        inboxes.keep(push(1), in: .handle("h", hub: "news"))
        inboxes.empty(.handle("h", hub: "news"))
        #expect(inboxes.has(.handle("h", hub: "news")))
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
