import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// What is known of the templates of devices: found by workers, learned from files, forgotten.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DeviceTemplatesTests {
    private static let alert = #"{"aps":{"alert":"$(message)"}}"#

    private func put(_ device: String, _ templates: String, in store: StoreFixture) async throws {
        _ = try await store.test.number(
            "SELECT push.put_device('news', \(device), 'apns', '00FC13AD', \(templates)::text, tags => '{World}')")
    }

    /// One round of a worker.
    @discardableResult
    private func look(_ templates: DeviceTemplates, behind id: Int64 = 0) async throws -> Int32? {
        var changed: Int32 = 0
        for (hub, census) in TemplateCensus.counting(try await templates.newestChanges(behind: id)) {
            changed += try #require(try await templates.keep(census, at: hub))
        }
        return changed
    }

    private func words(_ templates: DeviceTemplates, hub: String? = nil, _ template: String? = nil) async throws
        -> [String]
    {
        try await templates.entries(hub: hub, template: template).map {
            "\($0.hub) \($0.template.platform) \($0.template.name) \($0.template.body) \($0.template.devices) of \($0.of)"
        }
    }

    private func census(_ name: String, devices: Int, of all: Int) -> TemplateCensus {
        var census = TemplateCensus()
        for number in 0..<all {
            let template = PlatformTemplate(platform: "apns", name: name, body: Self.alert)
            census.add(number < devices ? [template] : [], at: 1)
        }
        return census
    }

    @Test func aWorkerFindsWhatBackendsRegistered() async throws {
        let store = try await StoreFixture.make()
        let templates = DeviceTemplates(database: store.database)
        #expect(try await templates.newestChanges(behind: 0) == [])
        let news =
            #"{"news": {"body": "{\"aps\": {\"alert\": \"$(message)\"}}", "tags": ["Ada"], "headers": {"apns-priority": "5"}, "expiry": "0"}}"#
        try await put("a", news, in: store)
        try await put("b", news, in: store)
        try await store.put("c")
        #expect(try await look(templates) == 1)
        let entry = try #require(try await templates.entries(hub: "news").first)
        #expect(
            entry.template
                == PlatformTemplate(
                    platform: "apns", name: "news", body: Self.alert, headers: ["apns-priority": "5"], devices: 2,
                    expiry: "0"))
        #expect(entry.of == 3 && entry.hash.count == 32)
        #expect(try await templates.known(at: "news") == [entry.template])
        #expect(try await templates.known(at: "nope") == [])
        // Nothing of a device is kept.
        let row = try await store.test.texts("SELECT t::text FROM push.device_template t").joined()
        #expect(!row.contains("Ada") && !row.contains("00FC13AD") && !row.contains("World"))
    }

    @Test func nothingIsReadOrWrittenTwice() async throws {
        let store = try await StoreFixture.make()
        let templates = DeviceTemplates(database: store.database)
        try await put("a", #"{"t": {"body": "{}"}}"#, in: store)
        let changes = try await templates.newestChanges(behind: 0)
        #expect(try await look(templates) == 1)
        let before = try await store.test.texts("SELECT xmin::text || ctid::text FROM push.device_template")
        #expect(try await look(templates) == 0)
        #expect(try await store.test.texts("SELECT xmin::text || ctid::text FROM push.device_template") == before)
        #expect(try await templates.newestChanges(behind: changes.last?.id ?? 0) == [])
        try await store.patch("a")
        #expect(try await look(templates) == 1)  // it was seen later
    }

    @Test func aLookReadsTheNewestTwoThousandChangesAndEightMegabytes() async throws {
        let store = try await StoreFixture.make()
        let templates = DeviceTemplates(database: store.database)
        try await store.database.execute(
            """
            INSERT INTO push.installation_change (hub, device, action, document)
            SELECT \(store.hub), 'd' || g, 'put', '{"platform":"apns","handle":"00"}' FROM generate_series(1, 2100) g
            """)
        let changes = try await templates.newestChanges(behind: 0)
        #expect(changes.count == 2_000)
        #expect(changes.first?.device == "d101" && changes.last?.device == "d2100")
        try await store.database.execute(
            """
            INSERT INTO push.installation_change (hub, device, action, document)
            SELECT \(store.hub), 'large' || g, 'put', json_build_object('platform', 'apns', 'handle', repeat('0', 3000000))
              FROM generate_series(1, 3) g
            """)
        #expect(try await templates.newestChanges(behind: 0).map(\.device) == ["large2", "large3"])
    }

    /// What a person counted on all devices is better than what a worker saw on some; a template that was given alone has no count.
    @Test func theCountOfAllDevicesStays() async throws {
        let store = try await StoreFixture.make()
        let templates = DeviceTemplates(database: store.database)
        let alone = PlatformTemplate(platform: "apns", name: "t", body: Self.alert)
        #expect(try await templates.learn(alone, at: "news"))
        #expect(try await words(templates) == ["news apns t \(Self.alert) 0 of 0"])
        try await templates.keep(census("t", devices: 5, of: 10), at: store.hub)
        #expect(try await words(templates) == ["news apns t \(Self.alert) 5 of 10"])
        #expect(try await templates.learn(alone, at: "news") == false)
        #expect(try await words(templates) == ["news apns t \(Self.alert) 5 of 10"])
        try await templates.learn(census("t", devices: 2_400, of: 2_500), at: "news")
        try await templates.keep(census("t", devices: 1_999, of: 2_000), at: store.hub)
        #expect(try await words(templates) == ["news apns t \(Self.alert) 2400 of 2500"])
        try await templates.learn(census("t", devices: 1, of: 3), at: "news")
        #expect(try await words(templates) == ["news apns t \(Self.alert) 1 of 3"])
    }

    @Test func aHubKeepsAThousandAndTheLeastSeenGoFirst() async throws {
        let store = try await StoreFixture.make()
        let templates = DeviceTemplates(database: store.database)
        try await templates.learn(PlatformTemplate(platform: "apns", name: "alone", body: "{}"), at: "news")
        var many = TemplateCensus()
        for number in 0..<1_200 {
            let own = PlatformTemplate(platform: "apns", name: "t\(number)", body: "{}")
            many.add([own], at: Double(number))
            if number < 100 { many.add([own], at: 0) }
        }
        try await templates.keep(many, at: store.hub)
        let kept = try await templates.entries(hub: "news")
        #expect(kept.count == 1_000)
        let names = Set(kept.map(\.template.name))
        #expect(names.contains("alone") && names.contains("t0") && names.contains("t99") && names.contains("t1199"))
        #expect(!names.contains("t100") && !names.contains("t299"))
        // Those that many devices have push out the others.
        try await templates.learn(census("wide", devices: 3, of: 3), at: "news")
        let after = try await templates.entries(hub: "news").map(\.template.name)
        #expect(after.count == 1_000 && after.first == "wide" && after.contains("alone"))
    }

    @Test func aTemplateIsFoundAndForgottenByNameOrHash() async throws {
        let store = try await StoreFixture.make()
        let templates = DeviceTemplates(database: store.database)
        for name in ["a", "b", "c"] {
            try await templates.learn(PlatformTemplate(platform: "apns", name: name, body: "{}"), at: "news")
        }
        try await templates.learn(PlatformTemplate(platform: "wns", name: "a", body: "<a/>"), at: "news")
        #expect(try await words(templates, "a") == ["news apns a {} 0 of 0", "news wns a <a/> 0 of 0"])
        let hash = try #require(try await templates.entries(hub: "news", template: "b").first?.hash)
        #expect(try await words(templates, String(hash.prefix(8))) == ["news apns b {} 0 of 0"])
        #expect(try await words(templates, String(hash.prefix(3))) == [])
        #expect(try await templates.forget(String(hash.prefix(8)), at: "news") == 1)
        #expect(try await templates.forget("a", at: "news") == 2)
        #expect(try await templates.forget(nil, at: "news") == 1)
        #expect(try await words(templates) == [])
        #expect(
            try await store.test.texts(
                "SELECT action || ' ' || (detail ->> 'templates') FROM push.audit WHERE action ~ 'template' ORDER BY id"
            )
                == Array(repeating: "learn_templates 1", count: 4)
                + ["forget_templates 1", "forget_templates 2", "forget_templates 1"])
    }

    @Test func aRemovedHubHasNoTemplates() async throws {
        let store = try await StoreFixture.make()
        let templates = DeviceTemplates(database: store.database)
        try await templates.learn(census("t", devices: 1, of: 1), at: "news")
        try await Hubs(database: store.database).remove("news")
        #expect(try await words(templates) == [])
        #expect(try await templates.keep(census("t", devices: 1, of: 1), at: store.hub) == nil)
        await #expect(throws: DatabaseError.self) {
            try await templates.learn(self.census("t", devices: 1, of: 1), at: "news")
        }
    }

    @Test func twoWorkersDoNotWaitForEachOther() async throws {
        let store = try await StoreFixture.make()
        let another = DeviceTemplates(database: store.test.another())
        let kept = try await store.database.withTransaction { connection in
            try await connection.execute("SELECT FROM push.lock WHERE name = 'templates' FOR UPDATE")
            return try await another.keep(self.census("t", devices: 1, of: 1), at: store.hub)
        }
        #expect(kept == nil)
        #expect(try await words(another) == [])
    }

    @Test(arguments: [
        ("nokia", "t", "{}", "platform \"nokia\", which is not known"),
        ("APNS", "t", "{}", "platform \"APNS\", which is not known"),
        ("apns", "", "{}", "a name that has not 1"),
        ("apns", "t", "{", "has a body that is not JSON"), ("wns", "t", "{}", "has a body that is not XML"),
        ("apns", "t", "", "has no body"),
    ])
    func aCallByHandIsChecked(platform: String, name: String, body: String, says: String) async throws {
        let store = try await StoreFixture.untouched
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute(
                """
                SELECT push.learn_templates('news', ARRAY[\(platform)], ARRAY[\(name)], ARRAY[\(body)], '{NULL}', '{NULL}',
                                            '{0}', 0)
                """)
        }
        #expect(error?.message.contains(says) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        ("'{NULL,NULL}', '{NULL}', '{0}', 0", "the arrays differ in length"),
        ("NULL, '{NULL}', '{0}', 0", "the arrays differ"),
        ("'{NULL}', '{NULL}', '{2}', 1", "is on 2 devices, of 1"), ("'{NULL}', '{NULL}', '{0}', NULL", "of is null"),
        ("'{\"[]\"}', '{NULL}', '{0}', 0", "has headers that are not an object of texts"),
        ("'{x}', '{NULL}', '{0}', 0", "has headers that are not an object of texts"),
    ])
    func aCallWithOddArraysIsRefused(rest: String, says: String) async throws {
        let store = try await StoreFixture.untouched
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute(
                "SELECT push.learn_templates('news', '{apns}', '{t}', '{\"{}\"}', \(raw: rest))")
        }
        #expect(error?.message.contains(says) == true, "\(String(describing: error))")
    }

    /// A row that was written by hand stops nothing.
    @Test func hostileRowsArePassedOver() async throws {
        let store = try await StoreFixture.make()
        let templates = DeviceTemplates(database: store.database)
        let deep = String(repeating: "[", count: 3_000) + String(repeating: "]", count: 3_000)
        for document in [
            "[]", "1", #"{"platform":"apns","handle":"\u0000"}"#,
            #"{"platform":"apns","handle":"0","templates":\#(deep)}"#,
        ] {
            try await store.database.execute(
                """
                INSERT INTO push.installation_change (hub, device, action, document)
                VALUES (\(store.hub), 'd', 'put', \(document)::json)
                """)
        }
        try await put("e", #"{"\u001b[2J": {"body": "{\"a\": \"\\u001b[2J$(x)\"}"}}"#, in: store)
        #expect(try await look(templates) == 1)
        #expect(try await templates.known(at: "news").map(\.name) == ["\u{1B}[2J"])
    }
}
