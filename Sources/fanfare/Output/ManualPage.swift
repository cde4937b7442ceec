import Daemon

/// fanfare(1), in the mdoc language, from the help of the commands. Pure.
struct ManualPage {
    let command: HelpDump.Command

    init(_ command: HelpDump.Command) { self.command = command }

    /// Told once for all commands.
    private static let common = ["config", "log-level", "log-format", "set"]
    private static let hidden = ["version", "help"]

    var text: String {
        var page = Lines()
        page.macro("Dd \(Daemon.versionDate)")
        page.macro("Dt FANFARE 1")
        page.macro("Os")
        page.macro("Sh NAME")
        page.macro("Nm fanfare")
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
        ManualFooter.write(to: &page)
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
    struct Lines {
        private var lines: [String] = []

        var joined: String { lines.joined(separator: "\n") }

        mutating func macro(_ text: String) { lines.append(".\(text)") }

        mutating func text(_ text: String) {
            for sentence in Self.sentences(text) { lines.append(Self.escaped(sentence)) }
        }

        /// Paragraphs with an empty line between; `Example: …` becomes a display.
        mutating func prose(_ text: String) {
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
        static func argument(_ text: String) -> String { "\"" + escaped(text).replacing("\"", with: "\\(dq") + "\"" }

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

        static func escaped(_ text: String) -> String {
            var escaped = text.replacing("\\", with: "\\e").replacing("…", with: "...").replacing("×", with: "x")
                .replacing("–", with: "\\(en").replacing("-", with: "\\-").replacing("`", with: "\\(ga")
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
