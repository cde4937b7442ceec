import Testing

@testable import PushModel

@Suite struct TemplateCensusTests {
    private func template(_ name: String, body: String = "{}", on platform: String = "apns") -> PlatformTemplate {
        PlatformTemplate(platform: platform, name: name, body: body)
    }

    private func words(_ census: TemplateCensus, most: Int = 1_000) -> [String] {
        census.found(most: most).map { "\($0.template.name) \($0.template.devices) \(Int($0.seenAt))" }
    }

    @Test func devicesAreCountedAndWhatMostHaveComesFirst() {
        var census = TemplateCensus()
        census.add([template("a"), template("b")], at: 5)
        census.add([template("b")], at: 3)
        census.add([], at: 9)
        #expect(census.devices == 3)
        #expect(words(census) == ["b 2 5", "a 1 5"])
        #expect(words(census, most: 1) == ["b 2 5"])
    }

    @Test func templatesDifferByPlatformNameBodyHeadersAndExpiry() {
        var census = TemplateCensus()
        census.add(
            [
                template("a"), template("a", on: "wns"), template("b"), template("a", body: "[]"),
                PlatformTemplate(platform: "apns", name: "a", body: "{}", headers: ["h": "1"]),
                PlatformTemplate(platform: "apns", name: "a", body: "{}", expiry: "0"),
                PlatformTemplate(platform: "apns", name: "a", body: "{}", devices: 7),
            ], at: 0)
        let found = census.found()
        #expect(found.count == 6)
        #expect(found.filter { $0.template.devices == 2 }.map(\.template.name) == ["a"])
    }

    /// Equal counts and times: by their bytes, so the same devices give the same list.
    @Test func theOrderDoesNotDependOnTheOrderOfDevices() {
        let templates = (0..<200).map { template("t\($0)", body: "[\($0 % 7)]") }
        var (one, other) = (TemplateCensus(), TemplateCensus())
        for template in templates { one.add([template], at: 1) }
        for template in templates.reversed() { other.add([template], at: 1) }
        #expect(one == other)
        #expect(one.found() == other.found())
    }

    @Test func oneBodyFiveThousandTimesIsOneTemplate() {
        var census = TemplateCensus()
        for _ in 1...5_000 { census.add([template("a")], at: 1) }
        #expect(words(census) == ["a 5000 1"])
    }

    /// A million different bodies need no more room than thousands, and what many devices have stays.
    @Test func whatIsKeptIsBounded() {
        var census = TemplateCensus(templates: 100, bytes: 10_000)
        for number in 0..<20_000 {
            census.add([template("own", body: "\(number)")], at: Double(number))
            if number % 3 == 0 { census.add([template("shared")], at: 0) }
        }
        #expect(census.devices == 26_667)
        #expect(census.found(most: .max).count <= 101)
        #expect(words(census, most: 1) == ["shared 6667 0"])
        var large = TemplateCensus(templates: 100, bytes: 10_000)
        for number in 0..<50 { large.add([template("\(number)", body: String(repeating: "x", count: 4_000))], at: 0) }
        #expect(large.found(most: .max).count <= 3)
    }

    // MARK: changes

    private func change(
        _ id: Int64, _ action: DeviceChange.Action, of device: String = "d", hub: Int32 = 1, _ document: String = "{}"
    ) -> TemplateCensus.Change {
        .init(id: id, hub: hub, device: device, action: action, document: document, at: Double(id))
    }

    private func put(_ templates: String, platform: String = "apns") -> String {
        #"{"platform":"\#(platform)","handle":"00","user_id":null,"tags":["World"],"templates":\#(templates)}"#
    }

    private static let one = #"{"a":{"body":"{ }","tags":["x"]}}"#

    private func counted(_ changes: [TemplateCensus.Change]) -> [Int32: [String]] {
        TemplateCensus.counting(changes).mapValues { census in ["of \(census.devices)"] + words(census) }
    }

    @Test func eachDeviceIsCountedAsItsChangesLeaveIt() {
        let found = counted([
            change(1, .put, put(#"{"old":{"body":"{}"}}"#)), change(2, .put, put(Self.one)),
            change(3, .put, of: "e", put(Self.one)), change(4, .put, of: "f", put("null")),
            change(5, .put, of: "g", hub: 2, put(Self.one)),
        ])
        #expect(found == [1: ["of 3", "a 2 3"], 2: ["of 1", "a 1 5"]])
    }

    @Test func aPatchChangesTheTemplatesOfADevice() {
        let found = counted([
            change(1, .put, put(Self.one)), change(2, .put, of: "e", put(Self.one)),
            change(3, .patch, #"{"add_tags":["y"],"templates":{"a":null,"b":{"body":"[]"}}}"#),
            change(4, .patch, of: "e", #"{"add_tags":["y"],"templates":null}"#),
        ])
        #expect(found == [1: ["of 2", "a 1 4", "b 1 3"]])
    }

    @Test func aDroppedDeviceAndOneThatWasOnlyPatchedAreNotCounted() {
        let patch = #"{"templates":{"b":{"body":"[]"}}}"#
        #expect(
            counted([
                change(1, .put, put(Self.one)), change(2, .drop), change(3, .patch, of: "e", patch),
                change(4, .patch, patch),
            ]) == [:])
    }

    /// Only rows that were written by hand can be like this.
    @Test(arguments: ["", "[]", "{}", #"{"platform":"nokia","handle":"0"}"#, #"{"platform":"apns","handle":1}"#])
    func aDocumentThatCannotBeReadIsPassedOver(document: String) {
        let found = counted([
            change(1, .put, document), change(2, .put, of: "e", put(Self.one)), change(3, .patch, of: "e", document),
        ])
        #expect(found[1]?.first == "of 1")
    }

    @Test func aTemplateThatCannotBeReadIsLeftOut() {
        let templates = #"{"a":{"body":"{}"},"b":{"body":"{"},"c":{"body":1},"d":7}"#
        #expect(counted([change(1, .put, put(templates))]) == [1: ["of 1", "a 1 1"]])
        #expect(counted([change(1, .put, put(#"{"a":{"body":"<a/>"}}"#, platform: "WNS"))]) == [1: ["of 1", "a 1 1"]])
    }
}
