import ArgumentParser
import Foundation
import PushModel

/// The manual page of one of our programs, in the mdoc language, from the help of its commands. Pure.
///
/// swift-argument-parser's own generator was tried (1.8.2): it repeats the common options under each of the 45 commands,
/// drops every character that is not ASCII (`FANFARE_…` became `FANFARE_`), and has no place for signals, environment, files
/// and exit statuses.
package struct ManualPage {
    /// A section behind the commands: `EXIT STATUS`.
    package struct Section {
        var title: String
        var items: [(name: String, text: String)]

        package init(_ title: String, _ items: [(String, String)]) {
            self.title = title
            self.items = items.map { (name: $0.0, text: $0.1) }
        }
    }

    private let command: HelpDump.Command
    private let sections: [Section]
    private let seeAlso: [String]

    /// - Parameters:
    ///   - sections: what follows the commands.
    ///   - seeAlso: other pages, as `psql 1`.
    package init(of program: any ParsableCommand.Type, sections: [Section], seeAlso: [String]) throws {
        self.init(
            try JSONDecoder().decode(HelpDump.self, from: Data(program._dumpHelp().utf8)).command, sections: sections,
            seeAlso: seeAlso)
    }

    init(_ command: HelpDump.Command, sections: [Section] = [], seeAlso: [String] = []) {
        self.command = command
        self.sections = sections
        self.seeAlso = seeAlso
    }

    /// Described once for all commands.
    private static let common = ["config", "log-level", "log-format", "set"]
    private static let hidden = ["version", "help"]

    package var text: String {
        var page = Lines()
        page.macro("Dd \(fanfareVersionDate)")
        page.macro("Dt \(command.commandName.uppercased()) 1")
        page.macro("Os")
        page.macro("Sh NAME")
        page.macro("Nm \(command.commandName)")
        page.macro("Nd \(Lines.escaped((command.abstract ?? "").trimmingSuffix(".").lowercasedFirst))")
        page.macro("Sh SYNOPSIS")
        page.macro("Nm")
        page.macro("Ar command")
        page.macro("Op Ar option ...")
        page.macro("Sh DESCRIPTION")
        page.prose(command.discussion ?? "")
        page.macro("Sh COMMANDS")
        for (path, command) in command.leaves() { describe(command, path, in: &page) }
        page.macro("Sh COMMON OPTIONS")
        page.text("Every command takes these.")
        let first = command.leaves().first?.command.arguments ?? []
        list(first.filter { Self.common.contains($0.names?.first?.name ?? "") }, in: &page)
        for section in sections { list(section, in: &page) }
        page.macro("Sh SEE ALSO")
        for name in seeAlso { page.macro("Xr \(name)\(name == seeAlso.last ? "" : " ,")") }
        return page.joined
    }

    private func describe(_ command: HelpDump.Command, _ path: [String], in page: inout Lines) {
        let own = (command.arguments ?? []).filter { argument in
            let name = argument.names?.first { $0.kind == "long" }?.name ?? ""
            return argument.shouldDisplay && !Self.common.contains(name) && !Self.hidden.contains(name)
        }
        page.macro("Ss \(Lines.escaped(path.joined(separator: " ")))")
        page.macro("Nm")
        page.macro("Cm \(Lines.escaped(path.joined(separator: " ")))")
        for argument in own { page.macro(Self.usage(argument)) }
        page.macro("Pp")
        page.text(command.abstract ?? "")
        if let discussion = command.discussion {
            page.macro("Pp")
            page.prose(discussion)
        }
        list(own, in: &page)
    }

    private func list(_ arguments: [HelpDump.Argument], in page: inout Lines) {
        guard !arguments.isEmpty else { return }
        page.macro("Bl -tag -width Ds")
        for argument in arguments {
            page.macro("It \(Self.name(argument))")
            page.text(argument.abstract ?? "")
            if let values = argument.allValues { page.text("One of \(values.joined(separator: ", ")).") }
            if let initial = argument.defaultValue { page.text("Default: \(initial).") }
        }
        page.macro("El")
    }

    private func list(_ section: Section, in page: inout Lines) {
        page.macro("Sh \(section.title)")
        page.macro("Bl -tag -width Ds")
        for item in section.items {
            page.macro("It \(Lines.argument(item.name))")
            page.text(item.text)
        }
        page.macro("El")
    }

    private static func usage(_ argument: HelpDump.Argument) -> String {
        let name = name(argument) + (argument.isRepeating ? " ..." : "")
        return argument.isOptional ? "Op \(name)" : name
    }

    /// `Fl -config Ar file`, `Ar id`.
    private static func name(_ argument: HelpDump.Argument) -> String {
        let value = "Ar \(Lines.escaped(argument.valueName ?? "value"))"
        guard let name = argument.names?.first(where: { $0.kind == "long" }) ?? argument.names?.first else {
            return value
        }
        let flag = "Fl " + (name.kind == "short" ? name.name : "-\(name.name)")
        return argument.kind == "option" ? "\(flag) \(value)" : flag
    }
}

extension ManualPage {
    /// Lines of mdoc: macros begin with a dot, text must not.
    package struct Lines {
        private var lines: [String] = []

        package var joined: String { lines.joined(separator: "\n") }

        package mutating func macro(_ text: String) { lines.append(".\(text)") }

        package mutating func text(_ text: String) {
            for sentence in Self.sentences(text) { lines.append(Self.escaped(sentence)) }
        }

        /// Paragraphs with an empty line between; `Example: …` becomes a display.
        package mutating func prose(_ text: String) {
            var isFirst = true
            for paragraph in text.split(separator: "\n\n") {
                if !isFirst { macro("Pp") }
                isFirst = false
                let lines = paragraph.split(separator: "\n").map(String.init)
                if lines.first?.hasPrefix("Example: ") == true {
                    self.text("Example:")
                    for line in lines { macro("Dl \(Self.argument(line.replacing("Example: ", with: "")))") }
                } else {
                    for line in lines { self.text(line) }
                }
            }
        }

        /// A text as one argument of a macro: no word of it may be taken for another macro.
        package static func argument(_ text: String) -> String {
            "\"" + escaped(text).replacing(scalars: "\"", with: "\\(dq") + "\""
        }

        /// mdoc wants a sentence to end its line, so that the space behind it can be wider.
        private static func sentences(_ text: String) -> [String] {
            var sentences: [String] = []
            var rest = text[...]
            while let end = rest.firstMatch(of: /[.?!] (?=[A-Z])/) {
                sentences.append(String(rest[..<end.range.lowerBound]) + String(end.output.prefix(1)))
                rest = rest[end.range.upperBound...]
            }
            return sentences + (rest.isEmpty ? [] : [String(rest)])
        }

        package static func escaped(_ text: String) -> String {
            var escaped = text.replacing(scalars: "\\", with: "\\e").replacing("…", with: "...")
                .replacing("×", with: "x").replacing("–", with: "\\(en").replacing(scalars: "-", with: "\\-")
                .replacing(scalars: "`", with: "\\(ga")
            if escaped.hasPrefix(".") || escaped.hasPrefix("'") { escaped = "\\&" + escaped }
            return escaped
        }
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }

    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}

/// What ArgumentParser knows of a command (`--experimental-dump-help`), as far as the manual page shows it.
package struct HelpDump: Decodable {
    package let command: Command

    package struct Command: Decodable {
        package let commandName: String
        package let abstract: String?
        package let discussion: String?
        package let arguments: [Argument]?
        package let subcommands: [Command]?
        package let shouldDisplay: Bool?

        /// Commands that do something, as typed without `fanfare`, in the order of the help.
        package func leaves(under path: [String] = []) -> [(path: [String], command: Command)] {
            (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }.flatMap { command in
                let path = path + [command.commandName]
                return command.subcommands == nil ? [(path, command)] : command.leaves(under: path)
            }
        }
    }

    package struct Argument: Decodable {
        package struct Name: Decodable {
            package let kind: String
            package let name: String
        }

        package let kind: String
        package let names: [Name]?
        package let valueName: String?
        package let abstract: String?
        package let defaultValue: String?
        package let allValues: [String]?
        package let isOptional: Bool
        package let isRepeating: Bool
        package let shouldDisplay: Bool
        /// `allRemainingInput`: it takes everything that follows, options too.
        package let parsingStrategy: String
    }
}
