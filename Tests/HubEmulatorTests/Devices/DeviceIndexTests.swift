import Foundation
import PushModel
import Testing

@testable import HubEmulator

/// The index finds the same devices as a search through all of them, after any changes.
@Suite struct DeviceIndexTests {
    @Test(arguments: 1...4) func theIndexFindsWhatAFullSearchFinds(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        let tags = ["a", "B", "c", "lang:fr", "$UserId:{u}"]
        var index = DeviceIndex()
        var present: [String: Installation] = [:]
        for _ in 0..<400 {
            let id = ["Dev", "dev", "x", "y", "Z"][pick(5)] + "\(pick(8))"
            if pick(3) == 0 {
                #expect(index.remove(id) == (present.removeValue(forKey: id) != nil))
            } else {
                var installation = Installation(
                    id, platform: pick(2) == 0 ? .apns : .fcmV1, pushChannel: .handle("A\(pick(4))B\(pick(4))"),
                    user: pick(4) == 0 ? "U" : nil, tags: tags.dropLast().filter { _ in pick(2) == 0 })
                installation.templates =
                    [nil, ["t": .init(body: "{}")], ["t": .init(body: "{}", tags: ["q"])]][pick(3)]
                try index.put(installation)
                present[id] = installation
            }
        }
        #expect(index.count == present.count)
        #expect(index.ids() == present.keys.sorted())
        var expressions = [
            "a", "b && !c", "!a", "q", "t && b", "$InstallationId:{dev1}", "a || lang:FR", "(a || q) && !b",
        ]
        expressions += ["$UserId:{U} && !a", "$InstallationId:{DEV2} || $InstallationId:{z3}"]
        for text in expressions {
            let expression = try TagExpression(text)
            for format in [SendFormat.template, .apple, .fcmv1] {
                let found = index.find(.tagged(expression), format: format).targets
                let all = index.find(.allDevices, format: format).targets
                let expected = all.filter { target in
                    expression.matches(Set(target.device.registration(of: target.part).tags))
                }
                #expect(Set(found.map(\.registration)) == Set(expected.map(\.registration)), "\(text)")
                #expect(found.count == expected.count)
            }
        }
        for handle in ["A0B0", "A1B2", "A3B3"] {
            let found = index.find(.handles([handle]), format: .apple).targets.map(\.deviceID)
            let expected = present.values.filter { $0.platform == .apns && $0.pushChannel == .handle(handle) }
            #expect(Set(found) == Set(expected.map(\.installationId)))
        }
        for device in present.keys { index.remove(device) }
        #expect(index.unknown(in: try TagExpression("a || q || t || lang:fr || $UserId:{u}")).count == 5)
        #expect(index.registrationCounts.values.allSatisfy { $0 == 0 })
    }

    @Test func devicesWithTheSameTemplatesShareThem() throws {
        var index = DeviceIndex()
        for number in 1...3 {
            try index.put(Installation("i\(number)", pushChannel: .handle("AB"), templates: ["t": "{}"]))
        }
        let parts = index.all.map(\.parts)
        #expect(parts.count == 3)
        #expect(parts.allSatisfy { $0 === parts[0] })
    }
}
