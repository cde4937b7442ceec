import Foundation
import Postgres
import ProgramSupport
import TestSupport
import Testing

/// What a hint tells its reader to do, its reader can do.
@Suite struct HintTests {
    /// A function of the schema and its hints.
    private struct Speaker {
        let name: String
        let hints: [String]
        /// The roles that may call it, or a function or an INSERT that calls it.
        let readers: [String]
    }

    /// The texts of a function that are or may be part of a hint: those that stand behind HINT, and those that are written
    /// like one anywhere else.
    private static func hints(in function: String) -> [String] {
        let code = function.replacing(#/(?:^|\s)-- [^\n]*/#, with: "")
        let literal = #/'((?:[^']|'')*)'/#
        let said = code.matches(of: #/\bHINT = ((?:'(?:[^']|'')*'|[^;'])*);/#).flatMap { match in
            match.output.1.matches(of: literal).map { String($0.output.1) }
        }
        let others = code.matches(of: literal).map { String($0.output.1) }.filter {
            $0.contains(#/: SELECT .*push\.|(^|: )fanfare [a-z]/#) && !$0.contains("\n")
        }
        return Array(Set(said + others))
    }

    private static func speakers(_ site: Site) async throws -> [Speaker] {
        let rows = try await site.withDatabase { database in
            try await database.query(
                """
                WITH RECURSIVE fn AS MATERIALIZED (
                    SELECT p.oid, n.nspname || '.' || p.proname AS name, p.proname::text AS bare, n.nspname::text AS schema,
                           pg_get_functiondef(p.oid) AS text
                      FROM pg_proc p
                           JOIN pg_namespace n ON n.oid = p.pronamespace
                           JOIN pg_language l ON l.oid = p.prolang
                     WHERE n.nspname IN ('push', 'push_worker', 'push_internal') AND l.lanname <> 'internal' AND p.prokind = 'f'
                ), calls AS MATERIALIZED (
                    SELECT DISTINCT c.name AS caller, m[1] AS callee
                      FROM fn c, regexp_matches(c.text, '(push(?:_internal|_worker)?\\.[a-z0-9_]+)\\(', 'g') m
                ), reached(role, name) AS (
                    SELECT r.role, 'push.' || r.function FROM push.function_rights() r
                    UNION
                    SELECT 'push_enqueue', t.tgfoid::regproc::text
                      FROM pg_trigger t
                     WHERE t.tgrelid = 'push.message'::regclass AND t.tgtype & 4 <> 0           -- INSERT
                    UNION
                    SELECT r.role, c.callee FROM reached r JOIN calls c ON c.caller = r.name
                )
                SELECT f.name, f.text, ARRAY(SELECT r.role FROM reached r WHERE r.name = f.name ORDER BY 1)
                  FROM fn f ORDER BY f.name
                """
            ) { rows in
                try rows.map { row in (try row.string(), try row.string(), try row.stringArray()) }
            }
        }
        return rows.map { Speaker(name: $0, hints: hints(in: $1), readers: $2) }.filter { !$0.hints.isEmpty }
    }

    /// Statements that their reader hands on: the text says to whom.
    private static let others = ["Have the owner look: ", "Have a superuser run: ", "Then run as "]

    /// The tables and functions of a hint that its reader is to name.
    private static func things(in hint: String) -> (tables: [String], functions: [String]) {
        guard !others.contains(where: hint.contains) else { return ([], []) }
        let tables = hint.matches(of: #/(?:FROM|JOIN|INTO) (push\.[a-z_]+)(?![a-z_(])/#).map { String($0.output.1) }
        return (tables, hint.matches(of: #/(push\.[a-z_]+)\(/#).map { String($0.output.1) })
    }

    @Test func everyRoleMayRunTheStatementsOfItsHints() async throws {
        let site = try await Site.make()
        let speakers = try await Self.speakers(site)
        var tried = 0
        for speaker in speakers {
            for hint in speaker.hints {
                let (tables, functions) = Self.things(in: hint)
                for (things, kind) in [(tables, "table"), (functions, "function")] where !things.isEmpty {
                    for reader in speaker.readers {
                        for thing in things {
                            tried += 1
                            let may =
                                kind == "table"
                                ? "has_table_privilege('\(reader)', '\(thing)', 'SELECT')"
                                : """
                                (SELECT bool_or(has_function_privilege('\(reader)', p.oid, 'EXECUTE')) FROM pg_proc p
                                  WHERE p.pronamespace::regnamespace || '.' || p.proname = '\(thing)')
                                """
                            #expect(
                                try await site.text("coalesce(\(may), false)") == "true",
                                "\(reader) may not use \(thing), which \(speaker.name) names: \(hint)")
                        }
                    }
                }
            }
        }
        #expect(tried > 10, "statements are found: \(tried)")
    }

    private struct Command: Decodable {
        var commandName: String
        var subcommands: [Command]?

        /// The first word that is no command where a command has to stand; nil: they all are.
        func wrongWord(in words: some Sequence<String>) -> String? {
            var command = self
            for word in words {
                guard let known = command.subcommands, !known.isEmpty else { return nil }
                guard let next = known.first(where: { $0.commandName == word }) else { return word }
                command = next
            }
            return nil
        }
    }

    /// Words behind "fanfare" that make it a noun, in the hints and in what our programs say.
    private static let prose = [
        "knows", "needs", "does", "nor", "and", "has", "is", "may", "cannot", "that", "itself", "works", "for", "of",
        "or",
        "build", "runs",
    ]

    /// Those of the schema, and those of our own programs.
    @Test func everyCommandThatAHintNamesExists() async throws {
        struct Dump: Decodable { var command: Command }
        let output = try await BuiltProgram(settings: nil)("--experimental-dump-help").output
        let program = try JSONDecoder().decode(Dump.self, from: Data(output.utf8)).command
        let site = try await Site.make()
        var texts = try await Self.speakers(site).flatMap { speaker in speaker.hints.map { (speaker.name, $0) } }
        let sources = Repository.root.appending(path: "Sources")
        for case let file as URL in FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
            ?? .init()
        where file.pathExtension == "swift" && !file.lastPathComponent.hasPrefix("SchemaFile") {
            let text = try String(contentsOf: file, encoding: .utf8)
            texts += text.split(separator: "\n").map { (file.lastPathComponent, String($0)) }
        }
        var found = 0
        for (place, text) in texts {
            for match in text.matches(of: #/\bfanfare((?: [a-z][a-z-]*)+)/#) {
                let words = match.output.1.split(separator: " ").map(String.init)
                guard let first = words.first, !Self.prose.contains(first) else { continue }
                found += 1
                let wrong = program.wrongWord(in: words)
                #expect(
                    wrong == nil || Self.prose.contains(wrong ?? ""), "\(place): no command \(wrong ?? ""): \(text)")
            }
        }
        #expect(found > 100, "commands are found: \(found)")
    }

    /// As the reader meets them.
    @Test func whatNamesNoHubNamesThoseThereAre() async throws {
        let test = try await TestDatabase.make()
        try await test.database.execute("SELECT push.add_hub('news'), push.add_hub('alerts')")
        let backend = try await test.login(as: "push_enqueue").database
        for statement in [
            "INSERT INTO push.message (tag, content) VALUES ('World', '{\"message\": \"x\"}')",
            "SELECT push.enqueue_many('[{\"tag\": \"World\", \"content\": {\"message\": \"x\"}}]')",
        ] {
            do {
                try await backend.execute("\(raw: statement)")
                Issue.record("\(statement) is taken")
            } catch {
                #expect(error.hint == "Give the name of a hub. Registered: alerts, news.", "\(error)")
            }
        }
        let person = try await test.login(as: "push_operator").database
        do {
            try await person.execute("SELECT push.pause_hub('nws')")
            Issue.record("it is paused")
        } catch {
            #expect(error.hint == "Registered: alerts, news.")
        }
        for role in ["push_enqueue", "push_operator", "push_monitor", "push_worker"] {
            let login = try await test.login(as: role).database
            #expect(try await login.execute("SELECT * FROM push.payload_rule") > 50)
        }
    }
}
