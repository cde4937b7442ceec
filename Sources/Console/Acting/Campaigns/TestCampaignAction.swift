import Pages
import Postgres
import PushModel
import Store

/// Sends what a revision says to tags of one's own people (`push.test_campaign`).
struct TestCampaignAction: CampaignAction {
    static let name = "test-campaign"

    let campaign: String
    let tags: [String]
    /// As this recipient of the audience would get it; nil: as nobody.
    let recipient: String?
    let locale: String?
    /// nil: the newest.
    let revision: Int32?
    let samples: SampleValues

    /// Tags of one test.
    static let mostTags = 60

    init(_ fields: FormFields) throws(FieldProblem) {
        campaign = try fields.campaignName()
        tags = (fields["tags"] ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init)
        guard !tags.isEmpty else {
            throw FieldProblem(
                field: "tags", words: "Who gets the test? Tags of your own people, with blanks or commas between them.")
        }
        guard tags.count <= Self.mostTags else {
            throw FieldProblem(
                field: "tags", words: "A test goes to at most \(Self.mostTags) tags; these are \(tags.count).")
        }
        recipient = fields["recipient"]
        revision = try fields.revisionNumber()
        do throws(LocaleError) {
            locale = try fields["locale"].map { locale throws(LocaleError) in try LocaleTag(locale).text }
        } catch {
            throw FieldProblem(field: "locale", words: "\(fields["locale"]?.quoted ?? "") is no language: \(error).")
        }
        samples = SampleValues(fields)
    }

    var fields: [(name: String, value: String)] {
        let optional: [(name: String, value: String?)] = [
            ("recipient", recipient), ("locale", locale), ("revision", revision.map { "\($0)" }),
        ]
        return [("campaign", campaign), ("tags", tags.joined(separator: " "))]
            + optional.compactMap { name, value in value.map { (name, $0) } } + samples.fields
    }

    var sql: String {
        var arguments = [SQLText.literal(campaign), "ARRAY[\(tags.map(SQLText.literal).joined(separator: ", "))]"]
        if let revision { arguments.append("revision => \(revision)") }
        if !samples.isEmpty { arguments.append("properties => \(SQLText.literal(samples.json))") }
        if let locale { arguments.append("locale => \(SQLText.literal(locale))") }
        if let recipient { arguments.append("recipient => \(SQLText.literal(recipient))") }
        return "SELECT key, revision FROM push.test_campaign(\(arguments.joined(separator: ", ")))"
    }

    var command: String? {
        var words = ["fanfare campaign test", ShellText.word(campaign)]
        words += tags.map { ShellText.option("--to", "tag:\($0)") }
        if let revision { words.append("--revision \(revision)") }
        if let recipient { words.append(ShellText.option("--as", "key:\(recipient)")) }
        if let locale { words.append(ShellText.option("--locale", locale)) }
        words += samples.fields.map {
            ShellText.option("--property", "\($0.name.dropFirst(SampleValues.prefix.count))=\($0.value)")
        }
        return words.joined(separator: " ")
    }

    func question(about standing: CampaignStore.Campaign, _ reading: CampaignReading) async -> Question {
        var question = Question(title: "Test campaign \(campaign)?", verb: "Send the test")
        if standing.state == "archived" {
            question.pointless = Question.unready(standing)
            return question
        }
        let number = revision ?? standing.revision
        question.consequences = [
            "Revision \(number) is sent at once to everybody who has the \(tags.count == 1 ? "tag" : "tags") "
                + "\(tags.joined(separator: ", ")), approved or not.",
            "It is a run of its own: the counts, the pace, the hours and the schedule of the campaign do not know of it.",
        ]
        if let recipient {
            question.consequences.append("It says what recipient \(recipient) of the audience would get.")
        }
        if let locale { question.consequences.append("In the language \(locale).") }
        if !samples.isEmpty {
            question.consequences.append(
                "With the values "
                    + samples.fields.map { "\($0.name.dropFirst(SampleValues.prefix.count)) = \($0.value.clipped)" }
                    .joined(separator: ", ") + ".")
        }
        if standing.state == "draft" {
            question.consequences.append("It is a draft: if its spec has a mistake, that is said and nothing is sent.")
        }
        return question
    }

    func step(_ database: Database, after mark: String?) async throws(DatabaseError) -> ActionStep {
        let values = CampaignStore.TestValues(
            properties: samples.isEmpty ? nil : samples.json, locale: locale, recipient: recipient)
        let test = try await CampaignStore(database: database).test(
            campaign, tags: tags, revision: revision, as: values)
        return ActionStep(
            remark: "Revision \(test.revision) goes out as run \(test.key).",
            page: ["campaigns", campaign, "runs", test.key])
    }
}
