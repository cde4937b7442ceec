import Foundation
import PushModel
import Testing

@testable import HubEmulator

/// The index finds exactly those whom asking everybody would find, whatever came and went.
@Suite struct RosterTests {
    @Test(arguments: 1...4) func theIndexFindsWhomAskingEverybodyFinds(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        let tags = ["a", "B", "c", "lang:fr", "$UserId:{u}"]
        var roster = DeviceIndex()
        var present: [String: Installation] = [:]
        for _ in 0..<400 {
            let id = ["Dev", "dev", "x", "y", "Z"][pick(5)] + "\(pick(8))"
            if pick(3) == 0 {
                #expect(roster.remove(id) == (present.removeValue(forKey: id) != nil))
            } else {
                var made = Installation(
                    id, platform: pick(2) == 0 ? .apns : .fcmV1, pushChannel: .handle("A\(pick(4))B\(pick(4))"),
                    user: pick(4) == 0 ? "U" : nil, tags: tags.dropLast().filter { _ in pick(2) == 0 })
                made.templates = [nil, ["t": .init(body: "{}")], ["t": .init(body: "{}", tags: ["q"])]][pick(3)]
                try roster.put(made)
                present[id] = made
            }
        }
        #expect(roster.count == present.count)
        #expect(roster.devices() == present.keys.sorted())
        var expressions = [
            "a", "b && !c", "!a", "q", "t && b", "$InstallationId:{dev1}", "a || lang:FR", "(a || q) && !b",
        ]
        expressions += ["$UserId:{U} && !a", "$InstallationId:{DEV2} || $InstallationId:{z3}"]
        for text in expressions {
            let expression = try TagExpression(text)
            for format in [SendFormat.template, .apple, .fcmv1] {
                let found = roster.find(.tagged(expression), format: format).targets
                let all = roster.find(.everybody, format: format).targets
                let naive = all.filter { target in
                    expression.matches(Set(target.resident.registration(of: target.part).tags))
                }
                #expect(Set(found.map(\.registration)) == Set(naive.map(\.registration)), "\(text)")
                #expect(found.count == naive.count)
            }
        }
        for handle in ["A0B0", "A1B2", "A3B3"] {
            let found = roster.find(.handles([handle]), format: .apple).targets.map(\.device)
            let naive = present.values.filter { $0.platform == .apns && $0.pushChannel == .handle(handle) }
            #expect(Set(found) == Set(naive.map(\.installationId)))
        }
        for device in present.keys { roster.remove(device) }
        #expect(roster.unknown(in: try TagExpression("a || q || t || lang:fr || $UserId:{u}")).count == 5)
        #expect(roster.registrationCounts.values.allSatisfy { $0 == 0 })
    }

    @Test func devicesWithTheSameTemplatesShareThem() throws {
        var roster = DeviceIndex()
        for number in 1...3 {
            try roster.put(Installation("i\(number)", pushChannel: .handle("AB"), templates: ["t": "{}"]))
        }
        let parts = roster.all.map(\.parts)
        #expect(parts.count == 3)
        #expect(parts.allSatisfy { $0 === parts[0] })
    }
}

@Suite struct InboxesTests {
    private func shown(_ number: Int) -> ReceivedPush { ReceivedPush(number: number, at: 0, payload: "p") }
    private func owner(_ name: Int) -> InboxKey { .device("\(name)", hub: "news") }

    @Test func theOldestSendsAreForgottenFirst() {
        var inboxes = Inboxes(keptPerOwner: 100, kept: 40)
        for send in 1...20 {
            for device in 1...4 { inboxes.keep(shown(send), in: owner(device)) }
        }
        for device in 1...4 {
            let numbers = inboxes[owner(device)].map(\.number)
            #expect(numbers.last == 20)
            #expect(numbers.count <= 10 && numbers.count >= 7)
            #expect(numbers == Array((21 - numbers.count)...20))
        }
    }

    @Test func ofASendThatIsTooLargeTheFirstPushesAreKept() {
        var inboxes = Inboxes(keptPerOwner: 100, kept: 10)
        inboxes.keep(shown(1), in: owner(99))
        for device in 1...50 { inboxes.keep(shown(2), in: owner(device)) }
        #expect((1...50).filter { inboxes.has(owner($0)) } == Array(1...10))
        #expect(!inboxes.has(owner(99)))
        inboxes.keep(shown(3), in: owner(99))
        #expect(inboxes[owner(99)].map(\.number) == [3])
    }

    @Test func oneOwnerKeepsItsNewest() {
        var inboxes = Inboxes(keptPerOwner: 3, kept: 1_000)
        for send in 1...50 { inboxes.keep(shown(send), in: owner(1)) }
        #expect(inboxes[owner(1)].map(\.number) == [48, 49, 50])
        inboxes.forget(owner(1))
        #expect(inboxes[owner(1)].isEmpty)
    }

    @Test func aHubBoundsThemAll() async throws {
        try await Bench.run({ $0.keptPushes = 8 }) { bench in
            for number in 1...4 {
                try bench.emulator.register(
                    Installation("i\(number)", pushChannel: .handle("AB"), templates: ["t": "{}"]), at: "news")
            }
            for _ in 1...5 { #expect(try await bench.exchange(bench.send(to: "t")).status == 201) }
            let kept = try (1...4).map { try bench.emulator.inbox(of: "i\($0)", at: "news").map(\.number) }
            #expect(kept == Array(repeating: [4, 5], count: 4))
            #expect(bench.emulator.count().shown == 20)
        }
    }
}
