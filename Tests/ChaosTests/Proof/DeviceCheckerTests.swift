import PushModel
import Testing

@testable import Chaos

/// The same for the devices: the checker finds what is broken, and nothing where nothing is.
@Suite struct DeviceCheckerTests {
    private static func name(_ device: String) -> Facts.DeviceName { .init(hub: "news", device: device) }

    /// Devices of each fate, as a run leaves them.
    static func addDevices(to facts: inout Facts) {
        facts.changes = [
            // a: put twice, then patched; the first put was never sent.
            .init(1, "a", .put, handle: "01", tags: ["red"], results: ["superseded"]),
            .init(4, "a", .put, handle: "04", tags: ["red", "green"], templates: ["news": "x", "sport": "y"]),
            .init(
                5, "a", .patch, user: "17", tags: ["blue"], removed: ["red"], templates: ["news": "z", "sport": nil]),
            // b: put and dropped.
            .init(2, "b", .put, handle: "02"), .init(6, "b", .drop),
            // c: patched, and never registered.
            .init(3, "c", .patch, tags: ["red"], results: ["refused"]),
            // d: the last put was refused, and perhaps it was taken before without an answer.
            .init(7, "d", .put, handle: "07"), .init(8, "d", .put, handle: "08", results: ["refused"]),
        ]
        facts.devices = [
            name("a"): .init(handle: "04", user: "17", tags: ["green", "blue"], templates: ["news": "z"]),
            name("d"): .init(handle: "07"),
        ]
        facts.confirmedChanges = [.init(id: 1, device: name("a"), action: .put, handle: "01")]
        facts.undoneChanges = [.init(id: 9, device: name("a"), action: .drop)]
    }

    /// What is made wrong, and which promise that breaks.
    struct Wrong: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var promise: Violation.Promise
        var change: @Sendable (inout Facts) -> Void

        init(
            _ name: String, _ promise: Violation.Promise, _ change: @escaping @Sendable (inout Facts) -> Void
        ) {
            testDescription = name
            self.promise = promise
            self.change = change
        }
    }

    static let wrongs: [Wrong] = [
        Wrong("push.lost_changes has a row", .changesEndOnce) { $0.lostChanges = ["1 of a of news"] },
        Wrong("a confirmed change is gone", .changesEndOnce) { $0.changes.remove(at: 0) },
        Wrong("another change has the number of a confirmed one", .changesEndOnce) { $0.changes[0].handle = "99" },
        Wrong("a change has no result", .changesEndOnce) { $0.changes[1].results = [] },
        Wrong("a change ended twice", .changesEndOnce) { $0.changes[1].results.append("applied") },
        Wrong("a change waits", .nothingIsStuck) {
            $0.changes[1].results = []
            $0.changes[1].isWaiting = true
        },
        Wrong("a change waits and has ended", .changesEndOnce) { $0.changes[1].isWaiting = true },
        Wrong("what was rolled back is there", .rolledBackLeavesNothing) {
            $0.changes.append(.init(9, "a", .drop))
        },
        Wrong("an older put came last", .devicesAreAsAsked) {
            $0.devices[name("a")] = .init(handle: "01", tags: ["red"])
        },
        Wrong("a patch is missing", .devicesAreAsAsked) { $0.devices[name("a")]?.tags = ["red", "green"] },
        Wrong("a template is still there", .devicesAreAsAsked) { $0.devices[name("a")]?.templates["sport"] = "y" },
        Wrong("another user", .devicesAreAsAsked) { $0.devices[name("a")]?.user = nil },
        Wrong("not registered", .devicesAreAsAsked) { $0.devices[name("a")] = nil },
        Wrong("dropped and registered", .devicesAreAsAsked) { $0.devices[name("b")] = .init(handle: "02") },
        Wrong("registered by nobody", .devicesAreAsAsked) { $0.devices[name("x")] = .init(handle: "02") },
        Wrong("a patch is applied and there is no device", .devicesAreAsAsked) {
            $0.changes[5].results = ["applied"]
        },
        Wrong("neither before nor after a refused put", .devicesAreAsAsked) { $0.devices[name("d")] = nil },
    ]

    @Test(arguments: wrongs) func findsWhatIsMadeWrong(wrong: Wrong) {
        var facts = CheckerTests.goodRun()
        wrong.change(&facts)
        let found = Checker.violations(in: facts)
        #expect(found.contains { $0.promise == wrong.promise }, "\(found)")
    }

    @Test func whatWasRefusedMayHaveBeenTakenWithoutAnAnswer() {
        var facts = CheckerTests.goodRun()
        facts.devices[Self.name("d")] = .init(handle: "08")
        #expect(Checker.violations(in: facts) == [])
    }

    @Test func whatADropAfterARefusalLeavesIsCertain() {
        var facts = CheckerTests.goodRun()
        facts.changes.append(.init(10, "d", .drop))
        #expect(Checker.violations(in: facts).map(\.promise) == [.devicesAreAsAsked])
        facts.devices[Self.name("d")] = nil
        #expect(Checker.violations(in: facts) == [])
    }

    /// A commit without an answer may exist or not: the table decides.
    @Test func anUnansweredCommitMayBeThere() {
        var facts = CheckerTests.goodRun()
        facts.changes.append(.init(10, "e", .put, handle: "10"))
        facts.devices[Self.name("e")] = .init(handle: "10")
        #expect(Checker.violations(in: facts) == [])
    }

    /// What a lagging standby had not received is told apart from what nothing excuses.
    @Test func whatAFailOverLostIsAccountedApart() {
        var facts = CheckerTests.goodRun()
        facts.confirmedChanges.append(.init(id: 98, device: Self.name("x"), action: .put, handle: "98", at: 105))
        facts.devices[Self.name("x")] = .init(handle: "98")
        facts.deviceMoments = [Self.name("x"): [104]]
        #expect(Checker.violations(in: facts).map(\.isLoss) == [false, false])
        facts.losses = [100...110]
        #expect(Checker.violations(in: facts).map(\.isLoss) == [true, true])
    }
}

extension Facts.Change {
    fileprivate init(
        _ id: Int64, _ device: String, _ action: DeviceChange.Action, handle: String? = nil,
        user: String? = nil, tags: Set<String> = [], removed: Set<String> = [], templates: [String: String?] = [:],
        results: [String] = ["applied"]
    ) {
        self.init(
            id: id, Facts.DeviceName(hub: "news", device: device), action, handle: handle, user: user, tags: tags,
            removed: removed, templates: templates, results: results)
    }
}
