import PushModel
import CommandLineTool

/// What a person reads. Each part has a number and a title, and is written when its facts are there.
struct DemoPage: Sendable {
    let style: TerminalStyle

    private static let indent = "   "

    /// `blocks`, with an empty line before each.
    func part(_ number: Int, _ title: String, _ blocks: String...) -> String {
        let lines = blocks.flatMap {
            [""] + $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }
        return "\n" + style.bold("\(number)  \(title)") + "\n"
            + lines.map { $0.isEmpty ? "" : Self.indent + $0 }.joined(separator: "\n")
    }

    /// Text that runs on.
    func prose(_ text: String) -> String {
        text.wrapped(to: style.width - Self.indent.count).joined(separator: "\n")
    }

    func title() -> String {
        style.bold("Fanfare turns rows in PostgreSQL into push notifications.") + "\n"
            + """
            This is a whole run of it that needs nothing but this machine: a private
            PostgreSQL, a hub on loopback with nine phones, and a real worker.
            """
    }

    /// The statements, one of them whole.
    func statements(_ stories: [DemoScript]) -> String {
        let shown = stories.first { $0.tags == ["Science"] } ?? stories[0]
        let rows = stories.reduce(0) { $0 + $1.texts.count }
        return part(
            1, "A backend inserts breaking news: plain SQL, one row for each language", style.cyan(shown.statement),
            prose(
                """
                And \(stories.count - 1) more like it, \(rows) rows in all, for six categories. The first goes to two of \
                them, World\u{A0}||\u{A0}Politics; the last has no Mandarin.
                """))
    }

    func posts(_ facts: DemoResults) -> String {
        var table = TextTable([
            .text("POST TO"), .number("ROWS"), .text("PROPERTIES"), .number("BYTES"), .number("MS"),
            .number("STATUS"), .number("PHONES"),
        ])
        for post in facts.posts {
            table.add([
                post.tags, "\(post.rows)", Self.properties(post.properties), "\(post.bytes)",
                post.milliseconds.map { "\($0)" } ?? "?", post.status.map { "\($0)" } ?? "none",
                "\(post.notifications)",
            ])
        }
        return part(
            2, "Fanfare claims the rows and posts to the hub", table.onScreen,
            prose(
                """
                All languages of a story travel in one post, as title_English, title_French, … and, for apps that know \
                no languages, title: every phone's own template picks what it shows.
                """))
    }

    /// `title, News in 3 languages`
    private static func properties(_ names: [String]) -> String {
        let words = DemoLanguage.allCases.map(\.word).filter { word in names.contains { $0.hasSuffix("_" + word) } }
        guard let first = words.first else { return names.joined(separator: ", ") }
        let bases = names.filter { $0.hasSuffix("_" + first) }.map { $0.dropLast(first.count + 1) }
        return bases.joined(separator: ", ") + " in \(HumanFormat.count(words.count, "language"))"
    }

    func results(_ facts: DemoResults) -> String {
        var table = TextTable([
            .number("id"), .text("target"), .text("locale"), .text("status"), .text("reason"), .number("http"),
        ])
        for row in facts.results {
            table.add([
                "\(row.id)", row.target, row.locale, row.status, row.reason, row.http.map { "\($0)" },
            ])
        }
        return part(
            4, "What became of every row, read back by SQL", style.cyan(DemoQueries.resultsQuery + ";"), table.onScreen)
    }

    func load(_ load: DemoLoad) -> String {
        part(
            5,
            "\(HumanFormat.grouped(load.count)) messages more, each for another user: each is a post of its own",
            style.cyan(load.statement))
    }

    func loadResult(_ facts: DemoLoad.Facts, processors: Int) -> String {
        let time = HumanFormat.time(milliseconds: facts.seconds * 1_000)
        let latency = facts.latency
        let lines = [
            style.bold(
                "\(HumanFormat.grouped(facts.count)) messages in \(time): \(HumanFormat.grouped(Int(facts.rate)))/s"
            )
                + " from the first INSERT to the last result",
            "from due to accepted: p50 \(HumanFormat.time(milliseconds: latency.median)), "
                + "p99 \(HumanFormat.time(milliseconds: latency.p99)), as they all came at once",
            style.dim("PostgreSQL (without fsync), worker and hub share \(processors) processors" + Self.build),
        ]
        return "\n" + lines.map { Self.indent + $0 }.joined(separator: "\n")
    }

    private static var build: String {
        #if DEBUG
            "; this is a debug build, a release build is about ten times faster"
        #else
            ""
        #endif
    }

    func claims(_ facts: DemoResults) -> String {
        var lines = facts.claims.map(line)
        if let latency = facts.latency {
            lines.append(
                style.dim("·") + " from INSERT to accepted and written down: p50 "
                    + HumanFormat.time(milliseconds: latency.median)
                    + ", slowest \(HumanFormat.time(milliseconds: latency.slowest))")
        }
        return part(facts.load == nil ? 5 : 6, "Checked", lines.joined(separator: "\n"))
    }

    private func line(_ claim: DemoAssertion) -> String {
        (claim.holds ? style.green("✓") : style.red("✗")) + " " + claim.text
            + (claim.found.map { style.red(": \($0)") } ?? "")
    }

    /// - Parameter command: how the demo was called.
    func end(_ facts: DemoResults, command: String) -> String {
        let next = [
            ("\(command) --keep", "stays up: look around with psql, send your own"),
            ("\(command) --messages 20000", "sends more, and measures"),
            ("fanfare-emulator", "the hub alone, for the hubs of config.json"),
            ("fanfare --help", "everything else"),
        ]
        let width = next.map(\.0.count).max() ?? 0
        return facts.endClaims.map { Self.indent + line($0) }.joined(separator: "\n") + "\n\n"
            + style.bold("Next steps") + "\n\n"
            + next.map { Self.indent + style.cyan($0.padded(to: width)) + "  " + $1 }.joined(separator: "\n")
    }
}
