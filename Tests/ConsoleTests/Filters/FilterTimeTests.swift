import PushModel
import Store
import TestSupport
import Testing

@testable import Console

@Suite struct FilterTimeTests {
    @Test(arguments: [
        ("2h", MessageSearch.Time.ago("2h")), ("3d", .ago("3d")), ("0s", .ago("0s")), ("5000w", .ago("5000w")),
        ("2027-03-01T07:00Z", .at("2027-03-01T07:00:00Z")),
        ("2027-03-01T07:00:05.25+01:00", .at("2027-03-01T06:00:05.250Z")),
        ("2027-03-01 07:00", .at("2027-03-01T07:00:00Z")), ("2027-03-01", .at("2027-03-01T00:00:00Z")),
    ]) func anAgeOrATimeIsRead(_ text: String, _ time: MessageSearch.Time) throws {
        #expect(try FilterTime.read(text) == time)
    }

    /// PostgreSQL reads several of them, some as now.
    @Test(arguments: [
        "now", "today", "yesterday", "epoch", "infinity", "-infinity", "allballs", "-2h", "2 h", "2h ago", "2H",
        "1h30m",
        "0000-01-01", "9999-12-31", "2027-02-30", "2027-13-01", "20270301", "1767225600", "01.03.2027",
        "2027-03-01T25:00Z",
        "2027-03-01 07:00 Europe/Paris", "1234567d", "999999w", "٢h", "2h\n", "'; DROP TABLE push.hub; --",
    ]) func whatIsNeitherIsRefused(_ text: String) {
        #expect(throws: FilterProblem.self) { try FilterTime.read(text) }
    }

    @Test func postgresReadsWhatIsTaken() async throws {
        let test = try await TestDatabase.make()
        for text in ["2h", "5000w", "36600d", "0001-01-01", "2027-03-01T07:00:05.25+01:00", "9998-12-31T23:59:59Z"] {
            let filter = try FilterTime.read(text)
            let shown = try await Messages(database: test.database).time(filter)
            #expect(!shown.isEmpty, "\(text)")
            if case .at(let time) = filter { #expect(Expiry(shown) == Expiry(time), "\(text)") }
        }
    }
}
