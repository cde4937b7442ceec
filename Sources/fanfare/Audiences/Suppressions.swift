import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare suppress`
struct SuppressCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suppress", abstract: "Keep campaigns from reaching a tag, a device handle or a recipient.",
        discussion: """
            Single messages are the backend's own word and are not held back.

            Example: fanfare suppress add tag user:42 --reason "asked us to stop"
            """,
        subcommands: [
            AddSuppression.self, RemoveSuppression.self, ListSuppressions.self, ImportSuppressions.self,
            ExportSuppressions.self,
        ])
}

/// What a suppression names.
enum SuppressedKind: String, CaseIterable, ExpressibleByArgument {
    case tag, handle, key

    /// Why no recipient can have a value; nil: one can. The rules are those of push.suppress.
    func fault(of value: String) -> String? {
        let bytes = value.utf8.count
        if bytes > 2600 { return "its value has \(bytes) bytes, 2,600 are allowed" }
        switch self {
        case .tag:
            do throws(TagError) {
                _ = try Tag(value)
                return nil
            } catch {
                return "\(value.quoted) is not one tag: \(error)"
            }
        case .handle where !Target.isHandle(value):
            return "its value is not a handle: visible ASCII characters, no spaces"
        default: return nil
        }
    }
}

/// `fanfare suppress add`
struct AddSuppression: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Suppress a tag, handle or key.",
        discussion: """
            Messages of a run that were made before are sent; cancel the run to stop them. A value that no recipient can \
            have is refused: a tag is one tag, without blanks and operators.

            Example: fanfare suppress add tag user:42 --until 2027-06-01
            """)

    @Argument(help: "tag, handle, or key: that of the recipient in its audience.") var what: SuppressedKind
    @Argument(help: "The tag, handle or key.") var value: String
    @Option(help: "Why, for the others: unsubscribed, complaint, bounced, test, or any words.") var reason: String?

    @Option(help: ArgumentHelp("Until when, such as 2027-06-01. Default: for good.", valueName: "time"))
    var until: String?

    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let isNew = try await Audiences(database: database).suppress(what.rawValue, value, reason: reason, until: until)
        return Report(
            isNew ? "suppressed" : "suppressed already", ["suppressed": .flag(true), "changed": .flag(isNew)])
    }
}

/// `fanfare suppress remove`
struct RemoveSuppression: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Let campaigns reach it again.",
        discussion: """
            Exits 65 when it was not suppressed.

            Example: fanfare suppress remove tag user:42
            """)

    @Argument(help: "tag, handle or key.") var what: SuppressedKind
    @Argument(help: "The tag, handle or key.") var value: String
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        guard try await Audiences(database: database).unsuppress(what.rawValue, value) else {
            throw Failure(
                "cannot remove it", because: "it is not suppressed", hint: "fanfare suppress list", status: .badInput)
        }
        return Report("reached again", ["suppressed": .flag(false), "changed": .flag(true)])
    }
}

/// `fanfare suppress list`
struct ListSuppressions: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List what is suppressed, and why.",
        discussion: """
            What ended is not shown.

            Example: fanfare suppress list --what tag --value user:42
            """)

    @Option(help: "Only tag, handle or key.") var what: SuppressedKind?

    @Option(help: ArgumentHelp("Only this tag, handle or key: whether it is suppressed.", valueName: "text"))
    var value: String?

    @Option(help: "Lines at most, 1 to 100000.") var limit: Int32 = 1000
    @OptionGroup var options: ReportOptions

    func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit must be from 1 to 100000.") }
    }

    func answer(_ database: Database) async throws -> Report {
        let found = try await Audiences(database: database).suppressions(
            what: what?.rawValue, value: value, limit: limit)
        return Report(found, none: value == nil ? "nothing is suppressed" : "it is not suppressed")
    }
}

extension Report {
    /// Handles of devices are shown by their ends; as JSON they are whole.
    init(_ suppressions: [Audiences.Suppression], none: String) {
        self.init(
            suppressions, [.text("WHAT"), .id("VALUE"), .text("UNTIL"), .text("BY"), .prose("REASON")], none: none
        ) {
            [$0.what, $0.what == "handle" ? HandleMask.masked($0.value) : $0.value, $0.until, $0.by, $0.reason]
        } json: {
            .object([
                "what": .text($0.what), "value": .text($0.value), "reason": .text($0.reason),
                "until": .text($0.until), "by": .text($0.by),
            ])
        }
    }
}
