import Postgres
import Store
import TestSupport
import Testing

/// Lists that are loaded, replaced and merged, and the runs that read them meanwhile.
@Suite struct ListTests {
    private static func make(_ audience: String = #"{"list": "beta"}"#) async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        _ = try await load(1...9, .new, test)
        _ = try await CampaignStore(database: test.database).create(
            "spring", spec: #"{"hubs": ["news"], "audience": \#(audience), "content": {"en": {"a": "b"}}}"#,
            draft: false)
        return test
    }

    private static func load(
        _ people: ClosedRange<Int>, _ way: Audiences.Loading, tag: String = "user", _ test: TestDatabase
    ) async throws -> Int64 {
        var left = people.map { Audiences.Member(key: "\($0)", tag: "\(tag):\($0)") }[...]
        return try await Audiences(database: test.database).load("beta", way) {
            defer { left = left.dropFirst(2) }
            return Array(left.prefix(2))
        }
    }

    private static func tags(_ run: String, _ test: TestDatabase) async throws -> [String] {
        try await test.texts("SELECT tag FROM push.message WHERE run = \(run) ORDER BY tag")
    }

    @Test func aListThatIsThereHasToBeReplacedOrMerged() async throws {
        let test = try await Self.make()
        let error = await #expect(throws: DatabaseError.self) { try await Self.load(1...2, .new, test) }
        #expect(error?.is(.uniqueViolation) == true)
        #expect(error?.message == "there is a list beta already")
        #expect(error?.hint?.contains("--replace or --merge") == true)
        #expect(try await Audiences(database: test.database).lists().map(\.members) == [9])
        await test.database.close()
    }

    @Test func aRunGoesOnWithTheListItBeganWith() async throws {
        let test = try await Self.make()
        let campaigns = CampaignStore(database: test.database)
        let runs = Runs(database: test.database)
        _ = try await campaigns.start("spring", key: "old")
        #expect(try await runs.expand(1, upTo: 4).rows == 4)
        #expect(try await Self.load(5...20, .replace, tag: "new", test) == 16)
        #expect(try await Audiences(database: test.database).lists().map(\.members) == [16])
        #expect(try await campaigns.check("spring").contains { $0.finding.contains("16") })
        _ = try await campaigns.start("spring", key: "new")
        #expect(try await runs.expand(2, upTo: 100).rows == 16)
        #expect(try await runs.expand(1, upTo: 100).rows == 5)
        #expect(try await Self.tags("old", test) == (1...9).map { "user:\($0)" })
        #expect(try await Self.tags("new", test) == (5...20).map { "new:\($0)" }.sorted())
        #expect(try await test.texts("SELECT estimate::text FROM push.run ORDER BY id") == ["9", "16"])
        await test.database.close()
    }

    @Test func mergedMembersComeInPlaceOfThoseOfTheirKey() async throws {
        let test = try await Self.make()
        _ = try await CampaignStore(database: test.database).start("spring", key: "old")
        #expect(try await Self.load(8...11, .merge, tag: "new", test) == 11)
        let runs = Runs(database: test.database)
        _ = try await runs.expand(1, upTo: 100)
        #expect(try await Self.tags("old", test) == (1...9).map { "user:\($0)" })
        _ = try await CampaignStore(database: test.database).start("spring", key: "new")
        _ = try await runs.expand(2, upTo: 100)
        #expect(
            try await Self.tags("new", test)
                == ["new:10", "new:11", "new:8", "new:9"] + (1...7).map { "user:\($0)" })
        // One that is not there yet has nothing to merge.
        _ = try await Audiences(database: test.database).drop("beta")
        #expect(try await Self.load(1...3, .merge, test) == 3)
        await test.database.close()
    }

    @Test func aReplacedListGoesWhenNoRunReadsItAnyMore() async throws {
        let test = try await Self.make()
        let runs = Runs(database: test.database)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.start("spring", key: "old")
        for _ in 1...2 { _ = try await Self.load(1...2, .replace, test) }
        func lists() async throws -> [String] {
            for _ in 1...6 { try await runs.lookAfter() }
            return try await test.texts(
                """
                SELECT concat_ws(' ', l.id, (SELECT count(*) FROM push.list_member m WHERE m.list = l.id))
                  FROM push.list l ORDER BY l.id
                """)
        }
        // The second was never read.
        #expect(try await lists() == ["1 9", "3 2"])
        _ = try await campaigns.steer("spring", key: "old", .cancel, after: nil)
        #expect(try await lists() == ["3 2"])
        await test.database.close()
    }

    @Test func aRunThatBeginsWhileTheListIsReplacedReadsAllOfOne() async throws {
        let test = try await Self.make()
        let other = test.another(maximumConnections: 1)
        try await other.withTransaction { connection in
            try await connection.execute("SELECT push.replace_list('beta')")
            try await connection.execute("INSERT INTO push.list_member (list, key, tag) VALUES (2, '1', 'new:1')")
            // It does not wait for the load, which may take minutes.
            _ = try await CampaignStore(database: test.database).start("spring", key: "old")
        }
        _ = try await CampaignStore(database: test.database).start("spring", key: "new")
        try await Runs(database: test.database).lookAfter()
        let runs = Runs(database: test.database)
        #expect(try await runs.expand(1, upTo: 100).rows == 9)
        #expect(try await runs.expand(2, upTo: 100).rows == 1)
        await other.close()
        await test.database.close()
    }

    @Test func aListIsKeptFromBeingDroppedWhileARunBeginsWithIt() async throws {
        let test = try await Self.make()
        let other = test.another(maximumConnections: 1)
        try await other.withTransaction { connection in
            try await connection.execute("SELECT push.start_run('spring', 'old')")
            _ = try await Self.load(1...2, .replace, test)
            for _ in 1...3 { try await Runs(database: test.database).lookAfter() }
            #expect(try await test.number("SELECT count(*) FROM push.list_member WHERE list = 1") == 9)
        }
        #expect(try await Runs(database: test.database).expand(1, upTo: 100).rows == 9)
        await other.close()
        await test.database.close()
    }

    /// A zone of the new list has no stream in the run, and one of the old list has.
    @Test func aLocalRunKeepsTheZonesOfItsList() async throws {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        func load(_ zones: [String]) async throws {
            var left = zones.enumerated().map { Audiences.Member(key: "\($0)", tag: $1 + "s", timeZone: "Asia/\($1)") }
            _ = try await Audiences(database: test.database).load("beta", .replace) {
                defer { left = [] }
                return left
            }
        }
        try await load(["Tokyo", "Seoul"])
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create(
            "spring",
            spec: """
                {"hubs": ["news"], "audience": {"list": "beta"}, "content": {"en": {"a": "b"}},
                 "local": {"time": "00:00", "default": "UTC"}}
                """, draft: false)
        _ = try await campaigns.start("spring", key: "old")
        try await load(["Seoul", "Manila"])
        _ = try await campaigns.start("spring", key: "new")
        try await test.database.execute("UPDATE push.stream SET release_at = clock_timestamp()")
        for id in try await test.texts("SELECT id::text FROM push.stream ORDER BY id") {
            _ = try await Runs(database: test.database).expand(Int64(id)!, upTo: 100)
        }
        #expect(try await Self.tags("old", test) == ["Seouls", "Tokyos"])
        #expect(try await Self.tags("new", test) == ["Manilas", "Seouls"])
        await test.database.close()
    }

    @Test func aMemberWithoutAKeyIsRefused() async throws {
        let test = try await Self.make()
        for key in ["", String(repeating: "k", count: 1_001)] {
            let error = await #expect(throws: DatabaseError.self) {
                try await test.database.execute("INSERT INTO push.list_member (list, key, tag) VALUES (1, \(key), 'a')")
            }
            #expect(error?.constraint == "key_has_1_to_1000_bytes")
        }
        await test.database.close()
    }

    @Test func oneThatWasDroppedIsReadAgainWhenItIsThereAgain() async throws {
        let test = try await Self.make()
        let runs = Runs(database: test.database)
        _ = try await CampaignStore(database: test.database).start("spring", key: "a")
        #expect(try await runs.expand(1, upTo: 5).rows == 5)
        _ = try await Audiences(database: test.database).drop("beta")
        let error = await #expect(throws: DatabaseError.self) { try await runs.expand(1, upTo: 5) }
        #expect(error?.message == "the list beta was dropped")
        #expect(error?.hint == "Load it again: fanfare campaign audience load.")
        _ = try await Self.load(1...9, .new, test)
        #expect(try await runs.expand(1, upTo: 5).rows == 4)
        await test.database.close()
    }
}
