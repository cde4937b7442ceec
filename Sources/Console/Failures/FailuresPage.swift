import Pages
import Postgres
import Store

/// `/failures`: what is in doubt, then what failed for good, in groups of one cause.
struct FailuresPage: ConsolePage {
    static let place: Place? = .failures
    static let rights: [Right] = [.look]

    /// Only groups of this hub are shown; nil: those of all.
    let hub: String?
    /// Whether all groups are shown, and not just the largest.
    let isWhole: Bool

    init?(path: [String], fields: FormFields) {
        guard path == Place.failures.path else { return nil }
        hub = fields["hub"]
        isWhole = fields["all"] != nil
    }

    /// Both looks end in this time with what they have found, side by side: a page has 300 ms in all.
    static let milliseconds: Int32 = 200

    struct Rows: Sendable {
        var doubts: Part<FailureGroups>
        var failures: Part<FailureGroups>
    }

    func read(_ reader: PageReader) async -> Rows {
        async let doubts = reader.part("messages in doubt", freshFor: 5) { database throws(DatabaseError) in
            try await Messages(database: database).doubtGroups(milliseconds: Self.milliseconds)
        }
        async let failures = reader.part("failures", freshFor: 5) { database throws(DatabaseError) in
            try await Messages(database: database).failureGroups(milliseconds: Self.milliseconds)
        }
        return Rows(doubts: await doubts, failures: await failures)
    }

    func content(of rows: Rows, for visit: Visit) -> PageContent {
        PageContent(
            title: "Failures", template: "failures", view: FailuresView(rows, of: hub, whole: isWhole, for: visit),
            troubles: [rows.doubts.trouble, rows.failures.trouble].compactMap(\.self),
            elsewhere: [
                Elsewhere(
                    about: "in doubt",
                    sql:
                        "SELECT hub, reason, campaign, note, messages, first, last, example FROM push.groups_of_doubts_v1();",
                    command: "fanfare doubt list"),
                Elsewhere(
                    about: "failures",
                    sql:
                        "SELECT hub, status, reason, campaign, note, messages, first, last, example FROM push.groups_of_failures_v1();",
                    command: "fanfare message list --status rejected"),
            ])
    }
}
