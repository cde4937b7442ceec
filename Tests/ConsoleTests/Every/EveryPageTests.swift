import HTTPServer
import HTTPTypes
import Pages
import Postgres
import Store
import Synchronization
import TestSupport
import Testing

@testable import Console

/// What holds for every page of the console, whatever its subject is.
@Suite(.serialized, .timeLimit(.minutes(10))) struct EveryPageTests {
    /// Shared: no test of this suite changes it.
    private static let untouched = Task { try await EveryPage.bench() }

    /// Asks for pages at the same time.
    private func atOnce(
        _ console: TestConsole, _ addresses: [String],
        _ look: @escaping @Sendable (_ address: String, _ status: Int, _ page: String) -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for address in addresses {
                group.addTask {
                    let response = try #require(try await console.get(address), "\(address)")
                    look(address, response.status, String(decoding: response.body, as: UTF8.self))
                }
            }
            try await group.waitForAll()
        }
    }

    private func pages(
        _ console: TestConsole, _ addresses: [String] = EveryPage.addresses
    ) async throws -> [(address: String, status: Int, page: String)] {
        var pages: [(String, Int, String)] = []
        for address in addresses {
            let response = try #require(try await console.get(address), "\(address)")
            pages.append((address, response.status, String(decoding: response.body, as: UTF8.self)))
        }
        return pages
    }

    @Test func noPageIsForgottenHere() throws {
        let found = try EveryPage.addresses.map { address in
            let target = try #require(RequestTarget(address))
            let page = try #require(Router.page(at: target.segments, FormFields(target.rawQuery.dropFirst())))
            return ObjectIdentifier(type(of: page))
        }
        for page in Router.pages { #expect(found.contains(ObjectIdentifier(page)), "\(page)") }
    }

    /// Viewers cost the database nothing within a second of the first one (oban #496: a count each second for each open page).
    @Test func fiftyViewersAreAnsweredOutOfOneReading() async throws {
        let bench = try await Self.untouched.value
        let pages = try await bench.test.login(as: "push_console")
        let time = Mutex(0.0)
        let console = TestConsole(pages.database, sharing: Looks { time.withLock { $0 } })
        // `/campaigns/spring/edit` reads what is about to be changed for each person.
        let shared = EveryPage.addresses.filter { !$0.hasSuffix("/edit") }
        for address in shared { _ = try await console.whole(address) }
        time.withLock { $0 = 0.9 }
        let before = try await self.pages(console, shared)
        await pages.database.close()
        // Nobody could read anything now.
        for (address, status, page) in before {
            #expect(status == 200 && !page.contains("Not shown"), "\(address)")
            #expect(try await console.page(address) == page, "\(address)")
        }
        let overview = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await console.page("/") } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(overview == [before[0].page])
        // The next second reads again, and cannot.
        time.withLock { $0 = 100 }
        #expect(try await console.page("/").contains("Not shown"))
    }

    /// A server without a place for another session (53300).
    @Test func whereTheServerIsFullThePageSaysSoAndTheRestStays() async throws {
        let bench = try await Self.untouched.value
        try await bench.test.database.script(
            "CREATE ROLE \(bench.test.name)_full LOGIN CONNECTION LIMIT 0 IN ROLE push_console")
        let full = Database(DatabaseSettings(url: bench.test.conninfo + " user=\(bench.test.name)_full"))
        var options = ConsoleOptions()
        options.version = "9.8.7"
        let console = TestConsole(full, options: options)
        // Attempts to connect fail one after the other.
        let some = ["/", "/hubs/news", "/messages", "/campaigns/spring", "/about"]
        try await atOnce(console, some) { address, status, page in
            #expect(status == 200 && page.contains(">Ann<"), "\(address): \(status)")
            #expect(page.contains("Not shown") && page.contains("too many connections"), "\(address): \(page)")
        }
        #expect(try await console.page("/about").contains("Fanfare 9.8.7"))
        await full.close()
    }

    /// Counts of peers took 45 s, or never ended (good_job #1366, oban #1140, riverui #106): a part that is not there in its time
    /// is left out, and its statement is named.
    @Test func whereTheDatabaseStandsStillThePageSaysSo() async throws {
        let bench = try await Self.untouched.value
        let slow = try await bench.test.login(as: "push_console")
        let console = TestConsole(slow.database, statementSeconds: 1)
        let holder = bench.test.another(maximumConnections: 1)
        try await holder.withTransaction { connection in
            let tables = try await bench.test.texts(
                "SELECT oid::regclass::text FROM pg_class WHERE relnamespace = 'push'::regnamespace AND relkind IN ('r', 'p')"
            )
            try await connection.execute("LOCK TABLE \(raw: tables.joined(separator: ", ")) IN ACCESS EXCLUSIVE MODE")
            let all = EveryPage.addresses.filter { !EveryPage.withoutDatabase.contains($0) }
            try await atOnce(console, all) { address, status, page in
                #expect(status == 200 && page.contains(">Ann<"), "\(address): \(status)")
                #expect(page.contains("Not shown"), "\(address)")
                #expect(page.contains("console.statementSeconds allows more"), "\(address)")
            }
        }
        await holder.close()
        await slow.database.close()
    }

    /// Whatever stands in an address, it is a page with words.
    @Test func noAddressBreaksAPage() async throws {
        let bench = try await Self.untouched.value
        let console = bench.bench.console()
        let values = [
            "1000000000000000000000000000000", "-9223372036854775809", "-1", "%00", "%ff%fe", "nan", "1e400",
            "a%2Fb%3F%25",
            "%27%3B--%3Cscript%3E", String(repeating: "x", count: 1_000),
        ]
        let names = [
            "", "id", "before", "after", "since", "until", "hub", "status", "reason", "tag", "campaign", "run",
            "tenant",
            "person", "action", "device", "name", "state", "revision", "sample", "cause", "words", "live", "all",
            "language",
            "with.name",
        ]
        func look(_ address: String) async throws {
            let response = try #require(try await console.get(address))
            let page = String(decoding: response.body, as: UTF8.self)
            #expect([200, 400, 404].contains(response.status), "\(address): \(response.status)")
            #expect(!page.contains("<script>") && !page.contains("Not shown"), "\(address)")
        }
        // Other values on each page.
        for (index, address) in EveryPage.addresses.filter({ !$0.contains("?") }).enumerated() {
            for step in 0..<4 {
                let value = values[(index + step * 3) % values.count]
                try await look("\(address)?\(names.map { "\($0)=\(value)" }.joined(separator: "&"))")
            }
        }
        // A field that can be read hides none behind it.
        for (page, address) in ["/messages", "/failures", "/devices", "/campaigns", "/audit"].enumerated() {
            for (index, name) in names.enumerated() where index % 3 == page % 3 {
                try await look("\(address)?\(name)=\(values[(index + page) % values.count])")
            }
        }
        for address in ["/hubs/", "/messages/", "/campaigns/", "/campaigns/spring/runs/", "/actions/", "/act/"] {
            for value in values {
                let response = try #require(try await console.get(address + value))
                let page = String(decoding: response.body, as: UTF8.self)
                #expect(response.status == 404 && !page.contains("Not shown"), "\(address)\(value.prefix(40))")
            }
        }
    }

    /// The console's clock is years behind the database's, or years ahead of it.
    @Test(arguments: [0, 253_402_300_799]) func aClockThatIsWrongBreaksNoPage(now: Double) async throws {
        let bench = try await Self.untouched.value
        for (address, status, page) in try await pages(bench.bench.console(now: now)) {
            #expect(status == 200 && !page.contains("Not shown"), "\(address)")
            // An age is not negative.
            #expect(!page.contains(/<time data-age[^>]*>-/), "\(address)")
        }
    }

    /// UTC and local time were mixed on one page (temporalio/ui #1964): the server writes UTC alone, or names the zone.
    /// Production was taken for a local installation (riverui #582): every page and every question has the console's name.
    @Test func everyPageHasItsTimesInUTCAndNamesTheConsole() async throws {
        let bench = try await Self.untouched.value
        var options = ConsoleOptions()
        options.name = "pro<duction"
        let console = bench.bench.console(options: options)
        var count = 0
        for (address, _, page) in try await pages(console) {
            for time in page.matches(of: /<time[^>]*datetime="([^"]*)"/) {
                count += 1
                let isUTC = time.1.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/) != nil
                #expect(isUTC, "\(address): \(time.0)")
            }
            #expect(page.contains(/<title>[^<]* – pro&lt;duction – Fanfare<\/title>/), "\(address)")
            #expect(page.contains("class=\"console-name hue-") && page.contains(">pro&lt;duction</b>"), "\(address)")
        }
        #expect(count > 10)
        let question = try await console.ask("pause-hub", ["hub": "news"])
        #expect(question.contains("You are Ann, and this is pro&lt;duction."))
    }

    /// Other sites could read a live stream of a peer (mailpit GHSA-524m-q5m7-79mm): no answer allows another origin, and none is
    /// kept.
    @Test func noAnswerIsForAnotherSite() async throws {
        let bench = try await Self.untouched.value
        let console = bench.bench.console()
        let live: HTTPFields = [
            HTTPField.Name("X-Fanfare-Live")!: "1", HTTPField.Name("Origin")!: "http://evil.example",
        ]
        for address in EveryPage.addresses + ["/console.js", "/nothing", "/actions/unknown"] {
            let response = try #require(try await console.get(address, headers: live))
            #expect(!response.headers.contains { $0.name.canonicalName.hasPrefix("access-control") }, "\(address)")
            #expect(
                response.headers[.cacheControl] == "no-store" && response.headers[.contentSecurityPolicy] != nil,
                "\(address)")
        }
    }
}
