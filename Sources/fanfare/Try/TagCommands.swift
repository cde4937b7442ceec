import ArgumentParser
import CommandLineTool
import PushModel

/// `fanfare tag`
struct TagCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tag", abstract: "Try tag expressions, and count the devices that they mean.",
        discussion: "Example: fanfare tag check 'a && !b'",
        subcommands: [CheckTags.self, ReachTags.self])
}

/// `fanfare tag check`
struct CheckTags: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a tag expression, alone or against the tags of a device.",
        discussion: """
            Exits 65 when it is not a tag expression. Warns of one that no device or every device matches, and of tags named and, \
            or and not. With --against it prints {"match": true} or {"match": false}. For a hub of kind fcm the tags are \
            topics: it prints the condition that they become.

            Example: fanfare tag check '(news || sports) && !muted' --against news,lang_fr
            """)

    @Argument(help: "The expression: tags joined by || and &&, with ! and parentheses.") var expression: String
    @Option(help: ArgumentHelp("Tags of a device, with commas between.", valueName: "tags")) var against: String?
    @Option(help: ArgumentHelp("The kind of the hub that it is for.", valueName: "kind"))
    var kind = HubKind.notificationHubs
    @OptionGroup var options: ReportOptions

    func report() throws -> Report {
        if kind.facts.tag == .topics { return try topics() }
        let expression = try parsed()
        if let against {
            let tags = Set(against.split(separator: ",").map { $0.trimming(while: \.isWhitespace) })
            let match = JSONOutput.object(["match": .flag(expression.matches(tags))])
            return Report(match.document, match)
        }
        let limit = expression.onlyOr ? kind.facts.tags : kind.facts.mixedTags
        let remarks = expression.remarks.map { "\nwarning: \($0)" }.joined()
        return Report(
            "valid: \(expression)\n\(HumanFormat.count(expression.tagCount, "tag")) of at most \(limit)\(remarks)",
            [
                "canonical": .text(expression.description), "limit": .number(limit),
                "only_or": .flag(expression.onlyOr), "tags": .number(expression.tagCount), "valid": .flag(true),
                "warnings": .list(expression.remarks.map { .text("\($0)") }),
            ])
    }

    private func topics() throws -> Report {
        let condition: TopicCondition
        do throws(TagExpressionError) {
            condition = try TopicCondition(expression)
        } catch {
            throw Failure(
                "no topic and no condition", because: "\(error)",
                hint: "A topic has A-Z a-z 0-9 - _ . ~ % ; join at most \(kind.facts.tags) with ||, && and !.",
                status: .badInput)
        }
        if let against {
            let topics = Set(against.split(separator: ",").map { $0.trimming(while: \.isWhitespace) })
            let match = JSONOutput.object(["match": .flag(condition.matches(topics))])
            return Report(match.document, match)
        }
        let sent = condition.topic.map { "topic \($0)" } ?? "condition \(condition.condition)"
        return Report(
            "valid: \(condition)\n\(sent)",
            [
                "canonical": .text(condition.description), "condition": .text(condition.condition),
                "topic": condition.topic.map(JSONOutput.text) ?? .null, "valid": .flag(true),
            ])
    }

    private func parsed() throws(Failure) -> TagExpression { try TagExpression(written: expression) }
}

extension TagExpression {
    /// One that a person wrote.
    init(written text: String) throws(Failure) {
        self = try Failure.wrapping(
            "not a tag expression",
            hint: "A tag has 1 to 120 of A-Z a-z 0-9 _ @ # . : - ; join tags with ||, && and !."
        ) { try TagExpression(text) }
    }
}

extension Substring {
    /// Without the characters at both ends that `isBlank` names.
    fileprivate func trimming(while isBlank: (Character) -> Bool) -> String {
        let start = drop(while: isBlank)
        return String(start.reversed().drop(while: isBlank).reversed())
    }
}
