import Pages
import PushModel

/// Which run of which campaign: of an address, or of a form.
struct RunReference: Sendable, Hashable {
    let campaign: String
    let key: String

    init(campaign: String, key: String) { (self.campaign, self.key) = (campaign, key) }

    /// - Throws: `FieldProblem` when one of them is missing, or is no text of PostgreSQL.
    init(_ fields: FormFields) throws(FieldProblem) {
        campaign = try fields.required("campaign", "Which campaign? Come from the page of its run.")
        key = try fields.required("key", "Which run? Come from its page.")
        if hasNull { throw FieldProblem(field: "key", words: "No name and no key has the character U+0000.") }
    }

    /// PostgreSQL has no text with U+0000, so no run is called so.
    var hasNull: Bool { (campaign + key).unicodeScalars.contains("\0") }

    var fields: [(name: String, value: String)] { [("campaign", campaign), ("key", key)] }

    /// The segments of its page.
    var page: [String] { ["campaigns", campaign, "runs", key] }

    /// Tells one run from another.
    var subject: String { ConsoleAddress.text(base: "", page, []) }

    /// As the first arguments of a function in SQL: `'spring', '2027-03-01'`.
    var sql: String { "\(SQLText.literal(campaign)), \(SQLText.literal(key))" }

    /// As words of a command: `spring --run 2027-03-01`.
    var words: String { "\(ShellText.word(campaign)) \(ShellText.option("--run", key))" }

    /// In a sentence: `run 2027-03-01 of campaign spring`.
    var name: String { "run \(key.onOneLine) of campaign \(campaign.onOneLine)" }
}
