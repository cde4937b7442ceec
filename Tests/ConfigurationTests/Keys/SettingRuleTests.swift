import PushModel
import Testing

@testable import Configuration

/// The pattern for the JSON Schema accepts what the rule accepts.
@Suite struct SettingRuleTests {
    private static let samples = [
        "", "off", "localhost:80", "127.0.0.1:0", "[::1]:9464", "::1:80", "host", "host:", ":80", "host:x", "a b:1",
        "breaking-news", "a.b_c-d", "ä", "a/b", String(repeating: "x", count: 64), String(repeating: "x", count: 65),
        String(repeating: "x", count: 260), String(repeating: "x", count: 261), "zh-Hans", "English", "a:b",
        "{property}_{language}", "{language}{property}", "{property}", "{language}_x", "property_language", "",
        "/etc/ca.pem", "ca.pem", "tz:{zone}", "{zone}", "tz:{zone", "tz {zone}", "{zone}{zone}", "tz/{zone}",
        "https://host", "https://host:1/", "http://host", "http://127.0.0.1:8099", "http://[::1]", "https://host/x",
        "example.com:shop", "all~", "50%", "look", "look, approve", "look,", ",look", "look  ,approve", "/pushes",
        "/a/b-1", "/a/",
        "/a//b", "push.example.com:8443", "push.example.com, [::1]:80", "10.0.0.0/8, ::1", "fd00::/8", "10.0.0.5",
        "a  b",
    ]

    @Test func everyPatternAgreesWithItsRule() throws {
        var compared = 0
        let rules =
            (Settings.keys.map(\.rule) + ConsoleUser.keys.map(\.rule))
            + (HubConfiguration.keys + [HubConfiguration.language("fr")]).map(\.rule)
        for case .text(_, let pattern?, let holds) in rules {
            let regex = try Regex(pattern)
            for sample in Self.samples {
                #expect(holds(sample) == sample.contains(regex), "\(pattern) and \(sample)")
                compared += 1
            }
        }
        #expect(compared == 20 * Self.samples.count)
    }

    @Test(arguments: ["ana", "Ana María", "ana@example.com", "", " ana", "ana ", "Ana  María", "schedule", "schedules"])
    func thePatternOfNamesOfPeopleAgreesWithItsRule(name: String) throws {
        #expect(PersonName.isOne(name) == name.contains(try Regex(Settings.userNamePattern)))
    }

    @Test func theHubNamePatternAgreesWithItsRule() throws {
        let regex = try Regex(Settings.hubNamePattern)
        for sample in Self.samples { #expect(HubRules.isName(sample) == sample.contains(regex), "\(sample)") }
    }
}
