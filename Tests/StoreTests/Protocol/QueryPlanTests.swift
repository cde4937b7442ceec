import Postgres
import PushModel
import Store
import Synchronization
import TestSupport
import Testing

/// No plan depends on statistics: a queue table is empty when it is analysed and huge an hour later. Every hot statement runs
/// on empty tables, with one row and with many, before and after ANALYZE, in fresh sessions and in one that keeps its plans
/// from the beginning. None may read a whole large table.
@Suite(.serialized, .timeLimit(.minutes(20))) struct QueryPlanTests {
    private static let many = 100_000

    @Test func noHotStatementReadsAWholeTable() async throws {
        let store = try await StoreFixture.make()
        // Statistics change only at the ANALYZE of this test.
        try await store.database.execute("ALTER SYSTEM SET autovacuum = off")
        try await store.database.execute("SELECT pg_reload_conf()")
        let reading = WholeTables(leading: try await Self.leadingColumns(store))
        let old = Session(store)
        for rows in [0, 1, Self.many] {
            try await Self.fill(store, to: rows)
            for analysed in [false, true] {
                if analysed { try await store.database.execute("ANALYZE") }
                let fresh = Session(store)
                for session in [old, fresh] {
                    for (name, step) in Self.steps {
                        let plans = try await session.plans(of: { try await step(store, session.database) })
                        #expect(!plans.isEmpty, "\(name): no output of auto_explain")
                        let bad = plans.flatMap { reading.lines(of: $0) }
                        #expect(bad == [], "\(name) at \(rows) rows, \(analysed ? "" : "not ") analysed")
                        if !bad.isEmpty {
                            print(plans.filter { !reading.lines(of: $0).isEmpty }.joined(separator: "\n"))
                        }
                    }
                }
                await fresh.database.close()
            }
        }
        await old.database.close()
    }

    private typealias Step = @Sendable (StoreFixture, Database) async throws -> Void

    /// The protocol in order; each step leaves the tables as large as they were.
    private static let steps: [(String, Step)] = [
        (
            "a look at the templates of devices",
            { store, database in
                let templates = DeviceTemplates(database: database)
                let changes = try await templates.newestChanges(behind: 0)
                var census = TemplateCensus.counting(changes)[store.hub] ?? TemplateCensus()
                census.add([PlatformTemplate(platform: "apns", name: "t", body: "{}")], at: 1)
                try await templates.keep(census, at: store.hub)
            }
        ),
        (
            "a claim from beginning to end",
            { store, database in
                let queue = Queue(database: database, worker: store.queue.worker)
                _ = try await queue.look([
                    .init(hub: store.hub, priority: .normal, position: .start),
                    .init(hub: store.hub, priority: .urgent, position: .start, back: 60),
                ])
                var found = try await store.claim(20, by: queue)
                if found == nil {
                    try await store.insert(1)
                    found = try await store.claim(20, by: queue)
                }
                let claim = try #require(found)
                let ids = claim.messages.map(\.id)
                let posts = ids.prefix(3).enumerated().map { index, id in
                    (n: index + 1, post: Post(messages: [id], target: .tag("a"), body: []))
                }
                _ = try await queue.intend(posts[...], under: claim.id)
                var completion = Completion()
                completion.answered = [.accepted(claim.post(1), [ids[0]])]
                if posts.count > 1 { completion.answered.append(.retrying(claim.post(2))) }
                completion.left = ids.dropFirst(3).map {
                    .init(claim: claim.id, message: $0, outcome: .retrying(.released, after: 0, cost: 0))
                }
                _ = try await queue.complete(completion)
                _ = try await Workers(database: database).rescue(claims: [claim.id])
                completion.answered = posts.map { .accepted(claim.post($0.n), $0.post.messages) }
                completion.finished = [claim.id]
                _ = try await queue.complete(completion)  // late
            }
        ),
        (
            "cancel",
            { store, database in
                let messages = Messages(database: database)
                let ids = try await store.translate(["en", "fr", "zh-Hans"])
                _ = try await messages.cancel(ids[0])
                let queue = Queue(database: database, worker: store.queue.worker)
                while let claim = try await store.claim(1000, by: queue) {
                    if claim.messages.contains(where: { $0.id == ids[1] }) { break }
                    _ = try await Workers(database: database).rescue(claims: [claim.id])
                    break
                }
                _ = try await messages.cancel(ids[1])
                _ = try await messages.cancel(ids[1])
                _ = try await Workers(database: database).rescue(store.queue.worker)
            }
        ),
        (
            "keys",
            { store, database in
                let queue = Queue(database: database, worker: store.queue.worker)
                let messages = Messages(database: database)
                var kept = NewMessage(hub: "news", tag: "a", content: "{}")
                kept.dedupeKey = "d\(UInt64.random(in: 0 ... .max))"
                _ = try await messages.enqueue([kept])
                _ = try await messages.enqueue([kept])
                let key = "k\(UInt64.random(in: 0 ... .max))"
                var ids: [Int64] = []
                for locale in ["en", "fr", "FR", nil] {
                    ids.append(try await store.keyed(locale, key: key, in: database))
                }
                _ = try await messages.status(of: ids[1])
                _ = try await messages.cancel(ids[3])
                try await store.settle(key: key)
                let gathered = try #require(try await store.claim(20, by: queue))
                #expect(gathered.messages.contains { $0.id == ids[0] })
                _ = try await store.keyed("zh-Hans", key: key, in: database)  // late
                _ = try await Workers(database: database).rescue(claims: [gathered.id])
                _ = try await messages.cancel(ids[1])
                try await KeyRetention.forget(in: database)
            }
        ),
        (
            "message status",
            { store, database in
                let ids = try await store.insert(1)
                _ = try await Messages(database: database).status(of: ids[0])
            }
        ),
        (
            "a search within a budget",
            { store, database in
                let messages = Messages(database: database)
                func search(_ change: (inout MessageSearch) -> Void) async throws {
                    var search = MessageSearch(limit: 20)
                    change(&search)
                    _ = try await messages.search(search, milliseconds: 50)
                }
                try await search { _ in }
                try await search { $0.hub = "news" }
                for status in Status.allCases { try await search { $0.status = status.rawValue } }
                try await search { $0.reason = "bad_request" }
                try await search { $0.run = "none" }
                try await search { $0.since = .ago("1 hour") }
                try await search { $0.until = .ago("1 hour") }
                _ = try await messages.search(MessageSearch(limit: 20), ids: [1, 2, 3])
            }
        ),
        (
            "the story of a message",
            { store, database in
                let ids = try await store.insert(1)
                _ = try await Messages(database: database).story(of: ids[0])
                _ = try await Messages(database: database).story(of: 3_899_999)
            }
        ),
        (
            "groups of failures and doubts",
            { store, database in
                let messages = Messages(database: database)
                let ids = try await store.insert(2)
                try await database.execute(
                    """
                    INSERT INTO push.result (id, status, reason, note)
                    VALUES (\(ids[0]), 'rejected', 'bad_request', 'x 1'), (\(ids[1]), 'in_doubt', 'worker_lost', 'y 1')
                    """)
                _ = try await messages.failureGroups(limit: 1)
                #expect(try await messages.failureGroups().groups.isEmpty == false)
                #expect(try await messages.doubtGroups().groups.isEmpty == false)
            }
        ),
        (
            "resolve",
            { store, database in
                let ids = try await store.test.texts("SELECT id::text FROM push.in_doubt LIMIT 1").compactMap(
                    Int64.init)
                _ = try await Doubts(database: database).resolve(ids + [1], as: .rejected)
            }
        ),
        (
            "devices from beginning to end",
            { store, database in
                // Others of these steps rescue the first worker.
                let worker = try await Workers(database: database).register(name: "host/2", version: "test").id
                let queue = DeviceQueue(database: database, worker: worker)
                let name = "new-\(UInt64.random(in: 0 ... .max))"
                for call in [
                    "put_device('news', '\(name)', 'apns', '00', tags => '{a}')",
                    "patch_device('news', '\(name)', add_tags => '{b}')", "drop_device('news', '\(name)')",
                    "put_device('news', 'phone-1', 'apns', '00')",
                ] { try await database.execute("SELECT push.\(raw: call)") }
                #expect(
                    try await queue.look([
                        .init(hub: store.hub, position: .start), .init(hub: store.hub, position: .start, back: 60),
                    ]) == [store.hub])
                var claimed = try #require(try await queue.claim(hub: store.hub, after: .start, limit: 20)).devices
                try await queue.giveBack(hub: store.hub)
                claimed = try #require(
                    try await queue.claim(hub: store.hub, after: .start, back: 1e9, limit: 20)
                ).devices
                let kinds: [DeviceOutcome.Status?] = [.applied, .retrying, .superseded, nil, .refused]
                try await queue.complete(
                    claimed.enumerated().map { n, device in
                        .init(
                            claim: device.claim,
                            outcomes: device.changes.map { DeviceOutcome($0.id, kinds[n % 5], delay: 0, cost: 1) })
                    })
            }
        ),
        (
            "what became of a device",
            { store, database in
                for search in [
                    "SELECT id FROM push.find_changes('news', 'phone-1')",
                    "SELECT push_internal.forget_devices(now() - interval '1 day', 100)",
                    "SELECT push_worker.next_due_v1('{news}', 60)",
                ] { try await database.execute("\(raw: search)") }
            }
        ),
        (
            "a run of a campaign from beginning to end",
            { store, database in
                let name = "c\(UInt32.random(in: 0 ... .max))"
                try await database.script(
                    """
                    SELECT push.make_list('\(name)');
                    INSERT INTO push.list_member (list, key, tag)
                    SELECT l.id, lpad(n::text, 3, '0'), CASE n WHEN 9 THEN 'no tag' ELSE 'u:' || n END
                      FROM push.list l, generate_series(1, 30) n WHERE l.name = '\(name)';
                    """)
                let campaigns = CampaignStore(database: database)
                _ = try await campaigns.create(
                    name, spec: #"{"hubs": ["news"], "audience": {"list": "\#(name)"}, "content": {"en": {"a": "b"}}}"#,
                    draft: false)
                _ = try await campaigns.start(name, key: "k")
                let runs = Runs(database: database)
                let stream = try #require(try await runs.streams(of: [store.hub]).first { $0.campaign == name })
                _ = try await runs.expand(stream.id, upTo: 10)
                func steer(_ steering: CampaignStore.Steering) async throws {
                    var step = try await campaigns.steer(name, key: "k", steering, after: nil)
                    while let next = step.next {
                        step = try await campaigns.steer(name, key: "k", steering, after: next)
                    }
                }
                try await steer(.pause(reason: nil))
                try await runs.lookAfter()
                try await steer(.resume)
                try await steer(.retry(reason: nil))
                try await steer(.resolve(decision: "accepted"))
                _ = try await runs.streams(of: [store.hub])
                _ = try await campaigns.progress(name, key: "k")
                try await steer(.cancel)
                try await runs.lookAfter()
                try await runs.lookAfter()
                _ = try await campaigns.progress(name, key: "k")
                let messages = Messages(database: database)
                var search = MessageSearch(limit: 20)
                (search.campaign, search.run) = (name, "k")
                _ = try await messages.find(search)
                _ = try await messages.search(search)
                search.reason = "cancelled_by_caller"
                _ = try await messages.search(search)
            }
        ),
        (
            "a run with a cap, in which everybody is looked up",
            { store, database in
                let name = "c\(UInt32.random(in: 0 ... .max))"
                try await database.script(
                    """
                    SELECT push.make_list('\(name)');
                    INSERT INTO push.list_member (list, key, tag)
                    SELECT l.id, lpad(n::text, 3, '0'), 'u:' || n FROM push.list l, generate_series(1, 30) n WHERE l.name = '\(name)';
                    """)
                let campaigns = CampaignStore(database: database)
                _ = try await campaigns.create(
                    name,
                    spec: #"""
                        {"hubs": ["news"], "audience": {"list": "\#(name)"}, "content": {"en": {"a": "b"}},
                         "cap": {"count": 1, "days": 7, "group": "\#(name)"}}
                        """#, draft: false)
                let runs = Runs(database: database)
                for (key, rows) in [("a", 30), ("b", 0)] {
                    _ = try await campaigns.start(name, key: key)
                    let stream = try #require(
                        try await runs.streams(of: [store.hub]).first { $0.campaign == name && $0.key == key })
                    #expect(try await runs.expand(stream.id, upTo: 50).rows == rows)
                }
            }
        ),
        (
            "campaigns that start themselves",
            { _, database in
                let name = "c\(UInt32.random(in: 0 ... .max))"
                _ = try await CampaignStore(database: database).create(
                    name,
                    spec: #"""
                        {"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"a": "b"}},
                         "schedule": {"cron": "0 9 * * *", "zone": "UTC", "overlap": "queue"}}
                        """#, draft: false)
                let schedules = Schedules(database: database)
                let due = try #require(
                    try await schedules.look(atMost: 10_000, except: []).due.first { $0.name == name })
                for time in [Int64(1_000), 2_000, 3_000] {
                    let before = time == 1_000 ? nil : time - 1_000
                    let move = Schedules.Move(
                        campaign: due.campaign, expected: before, scheduled: before, next: time, firesAt: Double(time),
                        upcoming: [time])
                    #expect(try await schedules.fire([move]).count == 1)
                }
                try await Runs(database: database).lookAfter()
                _ = try await Runs.open(in: database, hubs: ["news"])
                try await database.execute("SELECT * FROM push.campaign_next WHERE campaign = \(name)")
            }
        ),
        (
            "a campaign that somebody has to approve",
            { _, database in
                let name = "c\(UInt32.random(in: 0 ... .max))"
                let campaigns = CampaignStore(database: database)
                let spec =
                    #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"a": "b"}}, "approval": "one"}"#
                _ = try await campaigns.create(name, spec: spec, draft: false)
                let read = try #require(try await campaigns.approval(name, revision: 1))
                _ = try await campaigns.changes(name, revision: 1)
                #expect(try await campaigns.approve(name, revision: 1, hash: read.hash, note: nil))
                #expect(try await campaigns.start(name, key: "k"))
                #expect(try await campaigns.reject(name, revision: 1, note: nil))
                #expect(try await campaigns.unapproved(name) != nil)
                _ = try await campaigns.test(name, tags: ["team"], revision: nil)
            }
        ),
        (
            "a run in everybody's own zone",
            { store, database in
                let name = "c\(UInt32.random(in: 0 ... .max))"
                try await database.script(
                    """
                    SELECT push.make_list('\(name)');
                    INSERT INTO push.list_member (list, key, tag, time_zone)
                    SELECT l.id, lpad(n::text, 3, '0'), 'u:' || n, (ARRAY['Asia/Tokyo', 'Europe/Berlin', NULL, 'x'])[n % 4 + 1]
                      FROM push.list l, generate_series(1, 30) n WHERE l.name = '\(name)';
                    """)
                let campaigns = CampaignStore(database: database)
                _ = try await campaigns.create(
                    name,
                    spec: #"""
                        {"hubs": ["news"], "audience": {"list": "\#(name)"}, "content": {"en": {"a": "b"}}, "rate": 100000,
                         "local": {"time": "00:00", "default": "UTC"},
                         "window": {"from": "00:00", "until": "24:00", "outside": "drop"}}
                        """#, draft: false)
                _ = try await campaigns.start(name, key: "k")
                try await database.script(
                    "UPDATE push.stream SET release_at = now() WHERE run = (SELECT max(id) FROM push.run)")
                let runs = Runs(database: database)
                for stream in try await runs.streams(of: [store.hub]).filter({ $0.campaign == name }).prefix(2) {
                    _ = try await runs.expand(stream.id, upTo: 3)
                }
                _ = try await campaigns.progress(name, key: "k")
                try await database.script(
                    """
                    UPDATE push.stream SET left_out = 'outside_window'
                     WHERE id = (SELECT max(id) FROM push.stream WHERE run = (SELECT max(id) FROM push.run))
                    """)
                _ = try await runs.leaveOut(
                    try await store.test.number("SELECT max(id) FROM push.stream WHERE left_out IS NOT NULL"))
                _ = try await campaigns.steer(name, key: "k", .cancel, after: nil)
                try await runs.lookAfter()
            }
        ),
        (
            "what fanfare plan reads",
            { store, database in
                let ids = try await store.translate(["en", "fr"])
                let key = "p\(UInt64.random(in: 0 ... .max))"
                for locale in ["en", "fr", "FR"] { try await store.keyed(locale, key: key) }
                try await store.settle(key: key)
                try await PlanReader.read(database) { reader in
                    for lane in try await reader.lanes() {
                        let claim = try #require(try await reader.claim(lane, after: .start, limit: 20))
                        _ = try await reader.claim(lane, after: claim.position, limit: 20)
                    }
                    _ = try await reader.pace(of: store.hub)
                    _ = try await reader.standing(of: ids[1])
                }
            }
        ),
        (
            "the pulse",
            { store, database in
                let workers = Workers(database: database)
                _ = try #require(try await workers.sharePulse(store.queue.worker, every: -1, within: 60))
                try await database.execute("SELECT push.backlog_for_scaling()")
            }
        ),
        (
            "enqueue",
            { store, database in
                _ = try await Messages(database: database).enqueue([NewMessage(hub: "news", tag: "a", content: "{}")])
            }
        ),
    ]

    /// Fills every table of the protocol to about this many rows.
    private static func fill(_ store: StoreFixture, to rows: Int) async throws {
        guard rows > 0 else { return }
        try await fillDevices(store, to: rows)
        try await fillRuns(store, to: rows)
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, locale)
            SELECT 'news', 'tag' || g, '{"message": "hi"}', CASE g % 10 WHEN 0 THEN 'en' END FROM generate_series(1, \(rows)) g
            """)
        try await store.database.execute(
            """
            INSERT INTO push.translation (id, lead) SELECT 3900000 - g, 3900000 - g / 2 * 2 FROM generate_series(1, \(rows)) g
                ON CONFLICT DO NOTHING
            """)
        try await store.database.execute(
            """
            INSERT INTO push.content (id, lead, due_at, hub, priority, tag, content_key, locale)
            SELECT 3900000 - g, 3900000 - g, '2199-01-01', \(store.hub), 1, 'tag' || g, 'key' || g, 'en'
              FROM generate_series(1, \(rows)) g ON CONFLICT DO NOTHING
            """)
        try await store.database.execute(
            """
            INSERT INTO push.content_taken (hub, priority, tag, content_key, lead, ids)
            SELECT \(store.hub), 1, 'tag' || g, 'taken' || g, g, ARRAY[g] FROM generate_series(1, \(rows)) g ON CONFLICT DO NOTHING
            """)
        try await store.database.execute(
            """
            INSERT INTO push.dedupe (hub, key, id) SELECT \(store.hub), 'key' || g, g FROM generate_series(1, \(rows)) g
                ON CONFLICT DO NOTHING
            """)
        try await store.database.execute(
            """
            INSERT INTO push.post (id, bytes, hub, ids)
            SELECT 900000000 + g, 1, \(store.hub), ARRAY[3900000 - g] FROM generate_series(1, \(rows)) g ON CONFLICT DO NOTHING
            """)
        try await store.database.execute(
            """
            INSERT INTO push.answer (post, milliseconds, verdict)
            SELECT 900000000 + g, 1, 'accepted' FROM generate_series(1, \(rows)) g ON CONFLICT DO NOTHING
            """)
        try await store.database.execute(
            """
            INSERT INTO push.result (id, post, status, reason)
            SELECT 3900000 - g, 900000000 + g, 'accepted', 'taken_by_hub' FROM generate_series(1, \(rows)) g
            """)
    }

    /// The same for the tables of devices; half of the changes wait for another try.
    private static func fillDevices(_ store: StoreFixture, to rows: Int) async throws {
        try await store.database.execute(
            """
            INSERT INTO push.device (hub, device, change)
            SELECT \(store.hub), 'phone-' || g, 8000000 + g FROM generate_series(1, \(rows)) g ON CONFLICT DO NOTHING
            """)
        try await store.database.execute(
            """
            INSERT INTO push.installation_change (id, hub, device, action, document) OVERRIDING SYSTEM VALUE
            SELECT 8000000 + g, \(store.hub), 'phone-' || g, 'put', '{}' FROM generate_series(1, \(rows)) g
                ON CONFLICT DO NOTHING
            """)
        try await store.database.execute(
            """
            INSERT INTO push.installation_due (due_at, id, hub, device)
            SELECT now() + (g % 2 * 2 - 1) * interval '1 hour', 8000000 + g, \(store.hub), 'phone-' || g
              FROM generate_series(1, \(rows)) g
            """)
        try await store.database.execute(
            """
            INSERT INTO push.installation_result (id, status)
            SELECT 9000000 + g, (ARRAY['applied', 'refused'])[g % 2 + 1]::push.change_status
              FROM generate_series(1, \(rows)) g
            """)
    }

    /// Twenty paused runs that share as many slices.
    private static func fillRuns(_ store: StoreFixture, to rows: Int) async throws {
        try await store.database.script(
            """
            INSERT INTO push.campaign (name, revision) VALUES ('filled', 1) ON CONFLICT DO NOTHING;
            INSERT INTO push.campaign_revision (campaign, revision, hash, spec)
            SELECT id, g, '', '{"approval": "one"}' FROM push.campaign, generate_series(1, \(rows)) g
             WHERE name = 'filled' ON CONFLICT DO NOTHING;
            INSERT INTO push.approval (campaign, revision, hash, verdict, settings)
            SELECT id, g, '', 'approved', '{}' FROM push.campaign, generate_series(1, \(rows)) g WHERE name = 'filled';
            WITH runs AS (
                INSERT INTO push.run (campaign, revision, key, state, why, state_since)
                SELECT c.id, 1, \(rows) || ' ' || g, 'paused', 'paused by anna', now() - interval '1 h'
                  FROM push.campaign c, generate_series(1, 20) g WHERE c.name = 'filled' ON CONFLICT DO NOTHING RETURNING id
            ), streams AS (
                INSERT INTO push.stream (run, hub, priority, expanded, slices)
                SELECT r.id, \(store.hub), 1, \(rows / 20), \(rows / 20) FROM runs r RETURNING id, slices
            ), slices AS (
                INSERT INTO push.slice (stream, n, first_id, last_id, rows, due_from, due_to)
                SELECT s.id, g, 1, 1, 1, now(), now() FROM streams s, generate_series(1, s.slices) g RETURNING stream, n
            )
            INSERT INTO push.slice_count SELECT stream, n, 'accepted', 'taken_by_hub', 1 FROM slices;
            INSERT INTO push.reached (day, cap_group, run, keys, hashes)
            SELECT (now() AT TIME ZONE 'UTC')::date, 0, 0, k.keys, k.hashes
              FROM push_internal.rows_of_keys(ARRAY(SELECT 'other' || lpad(g::text, 9, '0') FROM generate_series(1, \(rows)) g)) k;
            """)
    }

    /// Finds lines of a plan that read a whole large table, be it through an index. Hubs, workers, claims and the rows of a
    /// statement are a handful of rows: those may be read whole. So may the beginning of an index, up to a LIMIT.
    private struct WholeTables {
        /// The first column of each index. A condition on another column reads the whole index too.
        let leading: [String: String]
        private let scan = /Scan(?: Backward)?(?: using (?<index>\w+))? on (?<table>\w+)/
        private static let large = [
            "due", "message", "post", "result", "translation", "answer", "content", "content_taken", "dedupe", "device",
            "installation_due", "installation_change", "installation_result", "slice", "slice_count", "approval",
            "reached",
        ]

        func lines(of plan: String) -> [String] {
            let lines = plan.split(separator: "\n").map(String.init)
            return lines.indices.filter { index in
                // Few lines are scans, and a regular expression costs more than all else.
                guard lines[index].contains("Scan"), !lines[index].contains("CTE Scan"),
                    !lines[index].contains("Function Scan"), let scan = lines[index].firstMatch(of: scan),
                    Self.large.contains(where: scan.table.hasPrefix)
                else { return false }
                let condition = index + 1 < lines.count ? lines[index + 1] : ""
                if scan.table.hasPrefix("reached") { return !condition.contains("Cond: (keys && ") }
                if lines[index].contains("Tid Scan") { return !condition.contains("TID Cond") }
                guard condition.contains("Index Cond"), let name = scan.index, let column = leading[String(name)] else {
                    return scan.index == nil || condition.contains("Filter") || !Self.isLimited(index, in: lines)
                }
                let words = condition.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
                return !words.contains(Substring(column))
            }.map { lines[$0] }
        }

        /// Whether a LIMIT ends this scan: nothing between them reads more than it gives on.
        private static func isLimited(_ index: Int, in lines: [String]) -> Bool {
            func depth(_ line: String) -> Int { line.prefix { $0 == " " }.count }
            var child = index
            while let parent = lines[..<child].lastIndex(where: {
                depth($0) < depth(lines[child]) && ($0.contains("->") || depth($0) == 0)
            }) {
                let node = lines[parent].drop { $0 == " " || $0 == "-" || $0 == ">" }
                if node.hasPrefix("Limit") { return true }
                guard node.hasPrefix("Append") || node.hasPrefix("Merge Append") else { return false }
                child = parent
            }
            return false
        }
    }

    private static func leadingColumns(_ store: StoreFixture) async throws -> [String: String] {
        try await store.database.query(
            """
            SELECT c.relname, a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
              JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
             WHERE c.relnamespace = 'push'::regnamespace
            """
        ) { rows in
            Dictionary(uniqueKeysWithValues: try rows.map { row in (try row.string(), try row.string()) })
        }
    }

    /// A connection that collects its plans.
    private struct Session: Sendable {
        let database: Database
        private let collected = Plans()

        init(_ store: StoreFixture) {
            let collected = collected
            database = Database(
                DatabaseSettings(
                    url: store.test.conninfo, maximumConnections: 1,
                    onNotice: { notice in collected.plans.withLock { $0.append(notice.message) } }))
        }

        /// The plans of the statements that `body` runs.
        func plans(of body: () async throws -> Void) async throws -> [String] {
            try await database.script(
                """
                LOAD 'auto_explain';
                SET auto_explain.log_min_duration = 0;
                SET auto_explain.log_nested_statements = on;
                SET client_min_messages = log;
                """)
            collected.plans.withLock { $0 = [] }
            try await body()
            return collected.plans.withLock { $0 }.filter { $0.contains("plan:") }
        }
    }

    private final class Plans: Sendable {
        let plans = Mutex<[String]>([])
    }
}
