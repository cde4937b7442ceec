import CommandLineTool
import Foundation
import Testing

@testable import Store
@testable import fanfare

/// What `fanfare hub …` and its like answer.
@Suite struct HubReportTests {
    private static func hub(_ members: String = "") throws -> SystemStatus.Hub {
        try JSONDecoder().decode(
            SystemStatus.Hub.self,
            from: Data(
                """
                {"hub": "news", "kind": "fcm", "state": "held", "due": 10000, "moreDue": true, "later": 3, "moreLater": false,
                 "why": "bad key", "workers": 1, "key": "primary", "rate": 200\(members)}
                """.utf8))
    }

    @Test func aListShowsWhereACountStopped() throws {
        let report = Report(hubs: [try Self.hub()])
        #expect(report.text() == "HUB   KIND  STATE      DUE  LATER  WHY\nnews  fcm   held   10,000+      3  bad key")
        #expect(report.json.line.contains(#""due": 10000"#) && report.json.line.contains(#""more_due": true"#))
        #expect(Report(hubs: []).text() == "no hub is registered: fanfare migrate up")
    }

    @Test func oneHubIsOneFactALine() throws {
        let text = try Self.hub().text
        #expect(text.hasPrefix("hub           news\nkind          fcm\nstate         held\nwhy           bad key\n"))
        #expect(text.hasSuffix("rate          at most 200 posts per second"), "\(text)")
        #expect(text.contains("\naccount       primary\n") && !text.contains("\nkey "), "\(text)")
    }

    @Test func whatIsNotKnownYetIsExplained() {
        let report = Report(estimates: [
            Estimate(hub: "news", pending: 40, ahead: 60, perSecond: 9.6, seconds: 90, doneAt: "2027-03-01T09:00:00Z"),
            Estimate(hub: "sport", pending: 1, ahead: 1, why: "nothing was sent lately"),
        ])
        #expect(
            report.text() == """
                HUB    PENDING  AHEAD  PER SECOND  LEFT   DONE AT
                news        40     60          10  1 min  2027-03-01T09:00:00Z
                sport        1      1                     nothing was sent lately
                """, "\(report.text())")
        #expect(report.json.line.contains(#""per_second": null"#))
    }

    @Test func aHubIsRemovedWithWhatItTookAlong() throws {
        let command = try RemoveHub.parse(["sport", "--cancel"])
        let report = command.report(cancelled: 2, refused: 1)
        #expect(
            report.text()
                == "hub sport: 2 messages cancelled\nhub sport: 1 change of devices refused\nhub sport: removed")
        #expect(report.json.line == #"{"cancelled": 2, "devices_refused": 1, "hub": "sport", "removed": true}"#)
        #expect(command.report(cancelled: nil, refused: 0).text() == "hub sport: removed")
    }

    @Test func theOtherKeyIsTheOneToRegenerate() throws {
        let command = try RotateHub.parse(["news"])
        let report = command.report(key: .secondary, kind: .notificationHubs)
        #expect(report.text().contains("regenerate the primary key in the portal"))
        #expect(report.text().contains("into hubs.news.connectionString and"))
        #expect(report.json.line == #"{"hub": "news", "key": "secondary", "kind": "notification-hubs"}"#)
        let account = command.report(key: .primary, kind: .fcm).text()
        #expect(account.hasPrefix("hub news: workers send with the primary service account now\n"))
        #expect(account.contains("make a new key for the secondary account in the Google Cloud console"))
        #expect(account.contains("into hubs.news.secondaryServiceAccount and"))
        let unknown = command.report(key: .primary, kind: nil)
        #expect(unknown.text().contains("put the new key into the settings of the hub and"))
        #expect(unknown.json.line.contains(#""kind": null"#))
    }

    @Test func aHubOfNoSettingsComesWithWhatToAdd() throws {
        let command = try AddHub.parse(["alerts"])
        #expect(command.report(toAdd: nil).text() == "hub alerts: registered")
        let report = command.report(toAdd: .object(["alerts": .null]))
        #expect(report.text().hasSuffix("with its connection string:\n{\"alerts\": null}"))
        #expect(
            report.json.line == #"{"add_to_settings": {"alerts": null}, "hub": "alerts", "registered": true}"#)
    }

    @Test func anUnknownHubNamesTheNearestElseAll() {
        func hint(_ name: String, _ known: [String]) -> String? {
            Failure.unknown(hub: name, among: known, "x", because: "y", all: "They have", none: "None.")
                .complaints[0].hint
        }
        #expect(hint("nws", ["news", "sport"]) == "Did you mean news?")
        #expect(hint("weather", ["news", "sport"]) == "They have: news, sport.")
        #expect(hint("news", []) == "None.")
    }
}
