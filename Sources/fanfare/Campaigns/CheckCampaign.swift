import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare campaign check`
struct CheckCampaign: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Say what a run would do. Sends nothing and writes nothing.",
        discussion: """
            Checks the newest revision again, counts or estimates the audience, and plans the first 1,000 recipients with \
            the planner that sends: how many would be refused or left out, and why, which requests the others become, and how \
            large they are, on phones, too. Works out whether all are sent at the rate before maxDuration, expires or the window \
            ends, and warns of an estimate without statistics, of a view without an index for its key, of keys that are null or \
            not unique, of hubs that no worker serves, of a schedule that never starts, is paused, or starts before its last run \
            is over, and of what fanfare template lint finds in texts and tags. Reads a view for 5 s at most. Needs a login with push_campaign or push_approve. Exits 65 when it cannot be run.

            Example: fanfare campaign check spring
            """)

    @Argument(help: "Name of the campaign.") var campaign: String
    @Option(help: "Which revision. Default: the newest.") var revision: Int32?
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        Report(
            findings: try await CampaignStore(database: database).findings(
                of: campaign, revision: revision, in: database))
    }
}

extension Report {
    init(findings: [CampaignStore.Finding]) {
        self.init(
            findings.map(\.text).joined(separator: "\n"), .list(findings.map(\.json)),
            status: findings.contains { $0.level == "error" } ? .badInput : .ok)
    }
}

extension CampaignStore {
    /// All that is known of a run before it begins.
    ///
    /// - Parameter revision: nil: the newest.
    func findings(of name: String, revision: Int32? = nil, in database: Database) async throws -> [Finding] {
        let findings = try await check(name, revision: revision)
        if findings.contains(where: { $0.level == "error" }) { return findings }
        let most: Int32 = 1000
        let sample = try await sample(of: name, revision: revision, most: most)
        let forecasts =
            sample?.flatMap { $0.forecast.findings(ofFirst: Int64(most)) }
            ?? [
                Finding(
                    "warning", "audience", "its first recipients were not planned: reading them took longer than 5 s",
                    hint: "Every slice of a run reads as many.")
            ]
        let scheduled = try await scheduled(ofKnown: name)
        let isNewest = revision == nil || revision == scheduled.revision
        return findings + forecasts + (isNewest ? scheduled.findings() : [])
            + (try await planAndLint(name, revision: revision, sample, in: database))
    }

    /// Which requests the first recipients become, what the phones of its hubs would show, and what is wrong with it.
    private func planAndLint(
        _ name: String, revision: Int32?, _ sample: [Sample]?, in database: Database
    ) async throws -> [Finding] {
        var sample = sample
        if sample == nil { sample = try await withoutRecipients(of: name, revision: revision) }
        let tags = try await tags(of: name, revision: revision)
        var findings: [Finding] = []
        for one in sample ?? [] {
            // How many devices have the tags, the database has said.
            let templates = try await KnownTemplates.templates(of: one.hub.name, in: database)
            findings += PlanCheck(one, of: name, revision: revision, templates: templates).findings
            findings +=
                TextCheck(
                    one.content, at: one.hub, sample: one.standIns, templates: templates, tags: tags
                ).findings
        }
        return findings
    }
}

extension Forecast {
    /// What becomes of how many, and then why. Pure.
    ///
    /// - Parameter most: how many recipients were asked for.
    func findings(ofFirst most: Int64) -> [CampaignStore.Finding] {
        if recipients == 0 { return [] }
        let all = (recipients < most ? "" : "the first ") + Self.count(recipients, "recipient")
        let (lost, without) = (Self.sum(refused), Self.sum(leftOut))
        let parts = [
            "\(HumanFormat.grouped(sent)) would be sent", lost > 0 ? "\(HumanFormat.grouped(lost)) refused" : nil,
            without > 0 ? "\(HumanFormat.grouped(without)) left out" : nil,
        ]
        let counts = CampaignStore.Finding(
            "info", "hub \(hub)", "of \(all): \(parts.compactMap(\.self).joined(separator: ", "))", hint: nil)
        return [counts]
            + refused.map { loss in
                .init(
                    "warning", "hub \(hub)", "\(HumanFormat.grouped(loss.recipients)) of them refused: \(loss.why)",
                    hint: loss.example?.text)
            }
            + leftOut.map { loss in
                .init(
                    "info", "hub \(hub)", "\(HumanFormat.grouped(loss.recipients)) of them left out: \(loss.why)",
                    hint: nil)
            }
    }

    private static func count(_ number: Int64, _ thing: String) -> String {
        "\(HumanFormat.grouped(number)) \(thing)\(number == 1 ? "" : "s")"
    }

    private static func sum(_ losses: [Loss]) -> Int64 { losses.reduce(0) { $0 + $1.recipients } }
}

extension Forecast.Loss {
    fileprivate var why: String { text.map { "\(reason): \($0)" } ?? reason }
}

extension Forecast.Example {
    /// Nil: they have nothing of their own in it.
    fileprivate var text: String? {
        let value = property.map { "a value of {{\($0)}} with \(HumanFormat.grouped(written)) bytes" }
        let parts = [locale, written == 0 ? nil : value].compactMap(\.self)
        return parts.isEmpty ? nil : "Such as: \(parts.joined(separator: ", "))."
    }
}

extension CampaignStore.Finding {
    /// Pure. What a view says begins no line of its own: it could look like ours.
    var text: String {
        let line = (level == "error" ? finding : "\(about): \(finding)").onOneLine
        return (level == "info" ? line : "\(level): \(line)") + (hint.map { "\n  \($0.onOneLine)" } ?? "")
    }

    var json: JSONOutput {
        .object(["level": .text(level), "about": .text(about), "finding": .text(finding), "hint": .text(hint)])
    }
}
