import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// What plans read beside the rows, in what transaction, and who may.
@Suite(.timeLimit(.minutes(10))) struct PlanReaderTests {
    private static func claims(_ reader: PlanReader, ofInserted ids: [Int64]? = nil, limit: Int32 = 1000) async throws
        -> [[Int64]]
    {
        var claims: [[Int64]] = []
        for lane in try await reader.lanes(only: ids) {
            var position = DuePosition.start
            while let claim = try await reader.claim(lane, after: position, insertedFrom: ids?.min(), limit: limit) {
                position = claim.position
                claims.append(claim.messages.map(\.id))
            }
        }
        return claims
    }

    @Test func nothingOfADatabaseChangesWhileAPlanIsRead() async throws {
        let store = try await StoreFixture.make(settling: 0)
        try await store.insert(5)
        _ = try await store.translate(["en", "fr"])
        for locale in ["en", "EN", "fr"] { try await store.keyed(locale) }
        let first = try await store.insert(1)[0]
        var waiting = NewMessage(hub: "news", tag: "w", content: "{}")
        waiting.after = first
        _ = try await store.messages.enqueue([waiting])
        let before = try await store.test.everything()
        let locks = try await PlanReader.read(store.database) { reader in
            let claims = try await Self.claims(reader)
            #expect(claims.flatMap(\.self).count > 8)
            _ = try await reader.pace(of: store.hub)
            _ = try await reader.standing(of: first)
            _ = try await reader.templates(of: store.hub)
            _ = try await reader.reach(of: store.hub)
            // What its transaction holds while it is open.
            return try await store.test.texts(
                """
                SELECT DISTINCT concat_ws(' ', l.locktype, l.mode, a.backend_xid) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                 WHERE a.datname = current_database() AND a.state = 'idle in transaction' ORDER BY 1
                """)
        }
        #expect(locks == ["relation AccessShareLock", "virtualxid ExclusiveLock"])
        #expect(try await store.test.everything() == before)
    }

    @Test func aPlanIsOfOneMomentWhateverWorkersDo() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(30)
        try await PlanReader.read(store.database) { reader in
            let lane = try #require(try await reader.lanes().first)
            let first = try #require(try await reader.claim(lane, after: .start, limit: 10))
            #expect(try await store.claim(25) != nil)
            try await store.insert(3)
            let second = try #require(try await reader.claim(lane, after: first.position))
            #expect((first.messages + second.messages).map(\.id) == ids)
        }
        #expect(try await PlanReader.read(store.database) { try await Self.claims($0) }.map(\.count) == [8])
    }

    @Test func aHubThatIsNotRegisteredIsNamed() async throws {
        let store = try await StoreFixture.make()
        try await store.insert()
        let error = await #expect(throws: DatabaseError.self) {
            try await PlanReader.read(store.database) { reader in try await reader.lanes(hub: "nobody") }
        }
        #expect(error?.message.contains("nobody") == true && error?.sqlState == "P0002")
        #expect(try await store.claim() != nil)
    }

    /// Of the hub alone, and for a login that reads no view.
    @Test func whatIsKnownOfDevicesIsRead() async throws {
        let store = try await StoreFixture.make()
        try await store.database.script(
            """
            SELECT push.add_hub('other');
            SELECT push.learn_templates('news', '{apns,fcmV1}', '{a,b}', '{"{}","{\\"x\\":\\"$(y)\\"}"}', '{NULL,"{\\"h\\":\\"v\\"}"}',
                                        '{0,NULL}', '{1,2}', 10);
            SELECT push.learn_templates('other', '{apns}', '{c}', '{"{}"}', '{NULL}', '{NULL}', '{1}', 1);
            SELECT push.keep_reach('news', 'World', 3, 10, false), push.keep_reach('other', 'Sports', 1, 1, true);
            UPDATE push.reach SET counted_at = '2026-11-29T01:00:00Z';
            """)
        let worker = try await store.test.login(as: "push_worker")
        let (templates, reach, others) = try await PlanReader.read(worker.database) { reader in
            let others = try await reader.templates(of: 99).count + reader.reach(of: 99).count
            return (try await reader.templates(of: store.hub), try await reader.reach(of: store.hub), others)
        }
        #expect(
            templates == [
                PlatformTemplate(
                    platform: "fcmV1", name: "b", body: #"{"x":"$(y)"}"#, headers: ["h": "v"], devices: 2),
                PlatformTemplate(platform: "apns", name: "a", body: "{}", devices: 1, expiry: "0"),
            ])
        #expect(
            reach == [KnownReach("World", devices: 3, of: 10, isWhole: false, countedAt: 1_795_914_000)])
        #expect(others == 0)
        #expect(try await Reach(database: store.database).known(at: "other").map(\.expression) == ["Sports"])
    }

    @Test func onlyWorkersReadWhatIsDue() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(2)
        let worker = try await store.test.login(as: "push_worker")
        #expect(try await PlanReader.read(worker.database) { try await Self.claims($0) }.map(\.count) == [2])
        for role in ["push_operator", "push_monitor", "push_enqueue", "push_campaign", "push_approve", "push_register"]
        {
            let login = try await store.test.login(as: role)
            let error = await #expect(throws: DatabaseError.self) {
                try await PlanReader.read(login.database) { try await Self.claims($0) }
            }
            // The last word names what the login lacks.
            #expect(error?.is(.insufficientPrivilege) == true && error?.message.hasSuffix("push_worker") == true)
        }
    }

    @Test(arguments: [HubKind.notificationHubs, .fcm, .apns]) func settingsAreThoseThatAreRegistered(_ kind: HubKind)
        async throws
    {
        var hub = HubSettings(name: "every", hub: kind == .notificationHubs ? "there" : nil, kind: kind)
        if kind == .notificationHubs {
            hub.languages = ["en": "English", "fr": "French"]
            hub.fallback = "fr"
            hub.plainFallback = false
            hub.propertyPattern = "{language}.{property}"
            hub.deviceWindow = 3
            hub.allowBroadcast = true
            hub.zoneTag = "tz:{zone}"
        } else {
            hub.endpoint = "https://example.com"
        }
        if kind == .fcm {
            hub.localization = .tags
            hub.tagsAreTopics = true
            hub.broadcastTopic = "all"
            hub.unavailable = .doubt
            hub.rampSeconds = 60
        }
        if kind == .apns { hub.environment = .sandbox }
        hub.settleMilliseconds = 0
        hub.contentKeyHours = 2
        hub.dedupeHours = 3
        hub.keysPerTenant = true
        hub.packTags.toggle()
        hub.onDoubt = .resend
        hub.expireAfterSeconds = 60
        hub.window = 7
        hub.ratePerSecond = 50
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(hub)
        try await test.database.execute(
            "INSERT INTO push.due (due_at, id, hub, priority) SELECT now(), 1, id, 1 FROM push.hub WHERE name = 'every'"
        )
        let lanes = try await PlanReader.read(test.database) { try await $0.lanes() }
        #expect(lanes.map(\.settings) == [hub])
        #expect(try await PlanReader.read(test.database) { try await $0.pace(of: lanes[0].hub) }?.postsPerSecond == 50)
    }

    @Test func aLaneSaysWhyItWaitsAndWhatIsParked() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(1)
        try await store.database.script(
            """
            SELECT push.pause_hub('news', 'a storm');
            INSERT INTO push.message (hub, tag, content, send_at, priority)
            SELECT 'news', 'p', '{"a": "b"}', push_internal.parked_at(7), 2 FROM generate_series(1, 3);
            """)
        try await PlanReader.read(store.database) { reader in
            let lanes = try await reader.lanes()
            #expect(lanes.map(\.priority) == [.normal, .bulk])
            #expect(lanes.map(\.parked) == [0, 3])
            #expect(
                lanes.allSatisfy { $0.state == "paused" && $0.why?.hasSuffix("a storm") == true && $0.since != nil })
            // A hub that waits is planned, and parked messages are not due.
            #expect(try await reader.claim(lanes[0], after: .start)?.messages.count == 1)
            #expect(try await reader.claim(lanes[1], after: .start) == nil)
            #expect(try await reader.lanes(hub: "news", priority: .bulk).map(\.parked) == [3])
            #expect(try await reader.pace(of: store.hub) == nil)
        }
    }

    @Test func messagesThatAreDueLaterComeTogetherIfTheyHaveTheSameTime() async throws {
        let store = try await StoreFixture.make()
        let times = try await store.test.texts(
            "SELECT (date_trunc('second', now()) + h * interval '1 h')::text FROM unnest('{0,2,1,2,0,-1}'::int[]) WITH ORDINALITY u(h, n) ORDER BY n"
        )
        let rows = times.map { time in
            var message = NewMessage(hub: "news", tag: "a", content: #"{"a": "b"}"#)
            message.sendAt = time
            return message
        }
        try await store.insert(2)
        try await store.messages.rehearse(rows) { reader, enqueued in
            let ids = enqueued.map(\.id)
            let claims = try await Self.claims(reader, ofInserted: ids)
            #expect(claims == [[ids[0], ids[4], ids[5]], [ids[2]], [ids[1], ids[3]]])
        }
        _ = try await store.messages.enqueue(rows)
        // And what is due by then.
        let due = try await PlanReader.read(store.database) { reader in
            let lane = try #require(try await reader.lanes().first)
            return try await reader.claim(lane, after: .start, asOf: reader.asOf + 5000)
        }
        #expect(due?.messages.count == 2 + 4)
    }

    @Test func aMessageBringsWhatTravelsWithIt() async throws {
        let store = try await StoreFixture.make(settling: 60_000)
        let translations = try await store.translate(["en", "fr", "zh-Hans"])
        let keyed = [try await store.keyed("en"), try await store.keyed("fr"), try await store.keyed("FR")]
        try await store.insert(3)
        try await PlanReader.read(store.database) { reader in
            let lane = try #require(try await reader.lanes().first)
            let claim = try #require(try await reader.claim(lane, after: .start))
            let travels = claim.messages.filter { translations.contains($0.id) }
            #expect(travels.map(\.id) == translations && Set(travels.map(\.lead)) == [translations[0]])
            let content = try await reader.claim(lane, after: claim.position, asOf: reader.asOf + 3600)
            #expect(content?.messages.map(\.id) == Array(keyed[..<2]))
            #expect(content?.ended.map(\.message) == [keyed[2]] && content?.ended[0].reason == .duplicateKey)
            let standing = try #require(try await reader.standing(of: translations[2]))
            #expect(standing.lead == translations[0] && standing.status == .due && standing.dueAt != nil)
            #expect(try #require(try await reader.standing(of: keyed[1])).lead == keyed[0])
            #expect(try await reader.standing(of: 1 << 40) == nil)
        }
    }

    @Test func whereAMessageIsIsKnownAfterItLeft() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0], ids[1]]], under: claim.id)
        try await store.complete([.accepted(claim.post(1), [ids[0], ids[1]])])
        try await PlanReader.read(store.database) { reader in
            let sent = try #require(try await reader.standing(of: ids[0]))
            #expect(
                sent.status == .accepted && sent.post == claim.post(1) && sent.mates == [ids[1]] && sent.dueAt == nil)
            #expect(sent.hub == store.hub && sent.name == "news" && sent.priority == .normal)
            let held = try #require(try await reader.standing(of: ids[2]))
            #expect(held.status == .claimed && held.worker == "host/1" && held.dueAt == nil)
        }
    }

    @Test func aClaimEndsWhereItsBoundsAre() async throws {
        var hub = TestWorker.news
        for language in ["de", "es", "it"] { hub.languages[language] = language }
        let store = try await StoreFixture.make(hub)
        try await store.database.script(
            """
            INSERT INTO push.message (hub, tag, content, send_at)
            SELECT 'news', 'a', json_build_object('a', repeat('x', 60000)), now() - interval '3 h' + n * interval '1 s'
              FROM generate_series(1, 300) n;
            INSERT INTO push.message (hub, tag, locale, content, send_at)
            SELECT 'news', 't' || n, l, '{"a": "b"}', now() - interval '1 h' + n * interval '1 s'
              FROM generate_series(1, 1200) n, unnest('{en,fr,zh-Hans,de,es,it}'::text[]) l;
            """)
        let planned = try await PlanReader.read(store.database) { try await Self.claims($0) }
        var claimed: [[Int64]] = []
        var position = DuePosition.start
        while let claim = try await store.queue.claim(hub: store.hub, priority: .normal, after: position, limit: 1000) {
            position = claim.position
            claimed.append(claim.messages.map(\.id))
        }
        #expect(planned == claimed)
        #expect(claimed.count == 4 && claimed[0].count < 140 && claimed.contains { $0.count > 4_900 })
    }

    @Test func translationsBeyondAHundredAreNamed() async throws {
        let store = try await StoreFixture.make(settling: 0)
        var ids: [Int64] = []
        for n in 0..<103 {
            let region = String(UnicodeScalar(UInt8(65 + n / 26))) + String(UnicodeScalar(UInt8(65 + n % 26)))
            ids.append(try await store.keyed("en-\(region)"))
        }
        let planned = try await PlanReader.read(store.database) { reader in
            try await reader.claim(try #require(try await reader.lanes().first), after: .start)
        }
        #expect(planned?.messages.map(\.id) == Array(ids[..<100]))
        #expect(planned?.ended.map(\.message) == Array(ids[100...]))
        #expect(try await store.claim()?.messages.map(\.id) == planned?.messages.map(\.id))
        let notes = try await store.test.texts("SELECT note FROM push.result WHERE id > \(ids[99]) ORDER BY id")
        #expect(planned?.ended.map(\.text) == notes && notes.count == 3)
    }

    /// A claim gathers ten pointers, and does not pass them. Pointers of contents that claims before have gathered are gone.
    @Test func aClaimDoesNotPassWhatItHasNotGathered() async throws {
        let store = try await StoreFixture.make()
        for content in 1...10 { try await store.keyed("en", key: "k\(content)") }
        for content in 1...5 { try await store.keyed("fr", key: "k\(content)") }
        for content in 11...24 { try await store.keyed("en", key: "k\(content)") }
        for content in 18...24 { try await store.keyed("fr", key: "k\(content)") }
        try await store.database.script(
            "UPDATE push.content SET due_at = due_at - interval '1 h'; UPDATE push.due SET due_at = due_at - interval '1 h'"
        )
        let planned = try await PlanReader.read(store.database) { try await Self.claims($0, limit: 10) }
        var claimed: [[Int64]] = []
        var position = DuePosition.start
        while let claim = try await store.queue.claim(hub: store.hub, priority: .normal, after: position, limit: 10) {
            position = claim.position
            claimed.append(claim.messages.map(\.id))
        }
        #expect(planned == claimed && claimed.map(\.count) == [15, 13, 8])
    }

    @Test func aKeyIsFreeAgainWhenItsTimeIsOver() async throws {
        let store = try await StoreFixture.make(settling: 0)
        let first = try await store.keyed("en")
        // A translation that is committed while its content is on its way.
        let (claim, second) = try await store.database.withTransaction { connection in
            let second = try await connection.query(
                """
                INSERT INTO push.message (hub, tag, locale, content_key, content)
                VALUES ('news', 'World', 'fr', 'k', '{"message": "hi"}') RETURNING id
                """
            ) { rows in try rows.single { row in try row.int64() } }
            return (try #require(try await store.claim()), second)
        }
        func planned() async throws -> PeekedClaim? {
            try await PlanReader.read(store.database) { reader in
                try await reader.claim(try #require(try await reader.lanes().first), after: .start)
            }
        }
        #expect(try await planned()?.ended.map(\.reason) == [.lateTranslation])
        // Not while the first content is on its way, however old it is.
        try await store.database.execute("UPDATE push.hub SET keep_content = '0 s'")
        #expect(try await planned()?.ended.map(\.text).first?.contains("message \(first)") == true)
        try await store.intend([[first]], under: claim.id)
        try await store.complete([.accepted(claim.post(1), [first])], finished: [claim.id])
        let free = try #require(try await planned())
        #expect(free.messages.map(\.id) == [second] && free.ended.isEmpty)
        #expect(try await store.claim()?.messages.map(\.id) == [second])
    }

    @Test func aFileIsPlannedAndUndone() async throws {
        let store = try await StoreFixture.make(settling: 0)
        var first = NewMessage(hub: "news", tag: "World", content: #"{"title": "a"}"#)
        first.dedupeKey = "d"
        _ = try await store.messages.enqueue([first])
        let kept = try await store.keyed("en", key: "shared")
        let before = try await store.test.everything(butNumbers: true)
        var rows = (1...3).map { NewMessage(hub: "news", tag: "t\($0)", content: #"{"title": "a"}"#) }
        rows.append(first)
        for locale in ["fr", "FR"] {
            var keyed = NewMessage(hub: "news", tag: "World", content: #"{"title": "b"}"#)
            (keyed.locale, keyed.contentKey) = (locale, "shared")
            rows.append(keyed)
        }
        let planned = try await store.messages.rehearse(rows) { reader, enqueued in
            #expect(enqueued.map(\.inserted) == [true, true, true, false, true, true])
            let ids = enqueued.map(\.id)
            let lane = try #require(try await reader.lanes(only: ids).first)
            var position = DuePosition.start
            var (messages, ended): ([Int64], [Refusal]) = ([], [])
            while let claim = try await reader.claim(lane, after: position, insertedFrom: ids[0]) {
                position = claim.position
                messages += claim.messages.map(\.id)
                ended += claim.ended
            }
            #expect(Set(messages) == Set(ids[..<3] + [kept, ids[4]]))
            #expect(ended.map(\.message) == [ids[5]] && ended[0].status == .duplicate)
            return messages.count
        }
        #expect(planned == 5)
        #expect(try await store.test.everything(butNumbers: true) == before)
        await #expect(throws: DatabaseError.self) {
            try await store.messages.rehearse([NewMessage(hub: "nobody", tag: "a", content: "{}")]) { _, _ in }
        }
        // Who may enqueue and not read what is due, is told which role is missing.
        let login = try await store.test.login(as: "push_enqueue")
        let error = await #expect(throws: DatabaseError.self) {
            try await Messages(database: login.database).rehearse([rows[0]]) { reader, _ in
                _ = try await reader.lanes(only: [1])
            }
        }
        #expect(error?.message.hasSuffix("push_worker") == true)
    }

    @Test func aFileIsPlannedPieceByPiece() async throws {
        let store = try await StoreFixture.make(settling: 60_000)
        func keyed(_ locale: String) -> NewMessage {
            var message = NewMessage(hub: "news", tag: "World", content: #"{"title": "b"}"#)
            (message.locale, message.contentKey, message.dedupeKey) = (locale, "k", "d-\(locale)")
            return message
        }
        let seen = try await store.messages.rehearsal { rehearsal in
            var ids: [Int64] = []
            for locale in ["en", "fr", "en"] {
                ids += try await rehearsal.attempt([keyed(locale)]).filter(\.inserted).map(\.id)
                // Another session: these are due, and none of the file's.
                try await store.insert(1)
            }
            // What is undone is not there, and what is refused undoes nothing before it.
            try await rehearsal.attempt([keyed("zh-Hans")], keeps: false)
            await #expect(throws: DatabaseError.self) {
                try await rehearsal.attempt([NewMessage(hub: "nobody", tag: "a", content: "{}")])
            }
            ids += try await rehearsal.enqueue([keyed("zh-Hans")]).map(\.id)
            let claims = try await Self.claims(rehearsal.reader, ofInserted: ids)
            #expect(claims.flatMap(\.self) == ids)
            return ids.count
        }
        #expect(seen == 3)
        #expect(try await store.count("message") == 3)
    }

    /// A backend that uses the same key: a plan does not wait for it until it ends.
    @Test func aRehearsalDoesNotWaitForALock() async throws {
        let store = try await StoreFixture.make()
        var message = NewMessage(hub: "news", tag: "a", content: #"{"title": "b"}"#)
        message.dedupeKey = "d"
        let row = message
        try await store.database.withTransaction { connection in
            try await connection.execute(
                "INSERT INTO push.message (hub, tag, content, dedupe_key) VALUES ('news', 'a', '{\"title\": \"b\"}', 'd')"
            )
            let error = await #expect(throws: DatabaseError.self) {
                try await store.messages.rehearse([row]) { _, _ in }
            }
            #expect(error?.is(.queryCancelled) == true)
        }
    }

    @Test func whatARunSaysComesWithItsMessages() async throws {
        let store = try await StoreFixture.make()
        try await store.database.script(
            """
            SELECT push.make_list('all');
            INSERT INTO push.list_member (list, key, tag) SELECT l.id, n::text, 'u:' || n FROM push.list l, generate_series(1, 4) n;
            """)
        let campaigns = CampaignStore(database: store.database)
        _ = try await campaigns.create(
            "spring", spec: #"{"hubs": ["news"], "audience": {"list": "all"}, "content": {"en": {"title": "b"}}}"#,
            draft: false)
        _ = try await campaigns.start("spring", key: "k")
        _ = try await Runs(database: store.database).expand(1, upTo: 10)
        let claim = try await PlanReader.read(store.database) { reader in
            try await reader.claim(try #require(try await reader.lanes().first), after: .start)
        }
        let peeked = try #require(claim)
        #expect(peeked.messages.count == 4)
        #expect(peeked.runContents == (try await store.queue.runContents(of: [1])) && peeked.runContents.count == 1)
        let plan = Plan(peeked.messages, for: TestWorker.news, now: 0, runContents: peeked.runContents)
        #expect(plan.posts.map(\.messages.count) == [4])
    }

    /// What is left of a message's time comes as a difference, and must give the time of its row again, bit by bit.
    @Test func aTimeOfAPlanIsThatOfTheRow() async throws {
        let store = try await StoreFixture.make()
        try await store.database.script(
            """
            INSERT INTO push.message (hub, tag, content, expires_at)
            SELECT 'news', 'a', '{"a": "b"}', date_trunc('second', now()) + n * interval '1234.567891 s' FROM generate_series(1, 50) n;
            INSERT INTO push.message (hub, tag, content, expires_at)
            SELECT 'news', 'a', '{"a": "b"}', date_trunc('second', now()) + n * interval '1 min' FROM generate_series(1, 50) n;
            """)
        let wanted = try await store.database.query(
            "SELECT date_part('epoch', expires_at) FROM push.message ORDER BY id"
        ) { rows in try rows.map { row in try row.double() } }
        try await PlanReader.read(store.database) { reader in
            for asOf in [nil, reader.asOf, reader.asOf + 1.000001] {
                let lane = try #require(try await reader.lanes().first)
                let claim = try #require(try await reader.claim(lane, after: .start, asOf: asOf))
                #expect(claim.messages.map(\.expiresAt) == wanted)
            }
        }
    }
}

extension Messages {
    /// Enqueues with one statement, looks, and rolls back.
    fileprivate nonisolated(nonsending) func rehearse<T>(
        _ messages: [NewMessage], peeking body: nonisolated(nonsending) (PlanReader, [Enqueued]) async throws -> T
    ) async throws -> T {
        try await rehearsal { rehearsal in try await body(rehearsal.reader, try await rehearsal.enqueue(messages)) }
    }
}
