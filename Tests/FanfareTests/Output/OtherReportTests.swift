import CommandLineTool
import Configuration
import Testing

@testable import Store
@testable import fanfare

/// What the other commands answer.
@Suite struct OtherReportTests {
    private static var change: DeviceSearch.Change {
        DeviceSearch.Change(
            id: 9, hub: "news", device: "phone-1", action: "put", status: "refused", at: "2027-03-01T09:00:00Z",
            since: "2027-03-01T09:00:00Z", age: 90, note: "no such tag", changedBy: "backend")
    }

    @Test func theHubOfAChangeIsLeftOutWhereItWasAskedFor() {
        let all = Report([Self.change], ofOneHub: false, footer: "no other such change")
        #expect(
            all.text() == """
                ID  DEVICE   HUB   ACTION  STATUS   SINCE  NOTE
                 9  phone-1  news  put     refused  1 min  no such tag
                no other such change
                """, "\(all.text())")
        let one = Report([Self.change], ofOneHub: true, footer: "")
        #expect(!one.text().contains("HUB") && one.json.line.contains(#""hub": "news""#))
    }

    @Test func aRefusedChangeEndsAWaitWithOne() {
        let report = DeviceWait([Self.change]).report(of: "phone-1")
        #expect(report.text() == "put at hub news: refused, no such tag" && report.status == .someFailed)
        #expect(report.json.line.contains(#""device": "phone-1", "done": true"#))
    }

    @Test func aMigrationSaysWhatItRan() {
        let report = Report(
            migrated: ["0001_initial.sql"], hubs: ["news"], release: 3, notice: nil, remembersDays: 30)
        #expect(
            report.text() == """
                0001_initial.sql: done
                schema push is of release 3
                hub news: registered
                caps: whom campaigns reached is known for 30 days
                """)
        #expect(report.json.line == #"{"files": ["0001_initial.sql"], "hubs": ["news"], "release": 3}"#)
        let none = Report(migrated: [], hubs: [], release: 3, notice: nil, remembersDays: nil)
        #expect(
            none.text()
                == "schema push is of release 3: nothing to do\nno hub in the settings: nothing can be enqueued yet")
    }

    @Test func settingsThatAreOddFailTheirCheck() {
        let odd = SettingsProblem(key: "hub", found: "unknown", rule: "no such key", remedy: "Did you mean hubs")
        let report = Report(of: "config.json", problems: [], warnings: [odd])
        #expect(report.text().isEmpty)
        #expect(report.failure?.text() == "fanfare: hub (warning): unknown: no such key\nhint: Did you mean hubs.")
        #expect(report.failure?.status == .configuration)
        let good = Report(of: "config.json", problems: [], warnings: [])
        #expect(good.text() == "config.json: nothing is wrong" && good.failure == nil)
        #expect(good.json.line == #"{"ok": true, "problems": [], "warnings": []}"#)
    }

    @Test func aDoctorWhoFindsAFailureEndsWithItsStatus() {
        let well = Report([.ok("workers", "beats", "1 worker")], failing: .someFailed)
        #expect(well.status == .ok && well.json.line.hasSuffix(#""ok": true}"#))
        let ill = Report([.fail("database", "connection", "away", remedy: "Start it.")], failing: .unavailable)
        #expect(ill.status == .unavailable)
        #expect(ill.text() == "database\n  FAIL connection: away\n       -> Start it.\n\n0 ok, 0 skip, 0 warn, 1 fail")
    }

    @Test func aTagExpressionThatIsMatchedIsJSONInBothForms() throws {
        let report = try CheckTags.parse(["a && !b", "--against", "a,c"]).report()
        #expect(report.text() == #"{"match": true}"# && report.json.document == report.text())
        let checked = try CheckTags.parse(["a || b"]).report()
        #expect(checked.text() == "valid: a || b\n2 tags of at most 20")
    }
}
