import CommandLineTool
import PushModel

extension Preview {
    var members: [String: JSONOutput] {
        let template: String? = if case .template(let name) = source { name } else { nil }
        return [
            "locale": .text(locale), "platform": .text(platform.rawValue), "source": .text(sourceWord),
            "template": .text(template), "title": .text(shown.title), "subtitle": .text(shown.subtitle),
            "text": .text(shown.body), "badge": .text(shown.badge), "sound": .text(shown.sound),
            "category": .text(shown.category), "level": .text(shown.level),
            "buttons": .list(shown.actions.map { .text($0) }), "silent": .flag(shown.isSilent),
            "empty": .flag(shown.isEmpty), "bytes": .number(bytes), "limit": .number(limit),
            "missing": .list(missing.map { .text($0) }), "unused": .list(unused.map { .text($0) }),
            "cuts": .list(cuts.map { .object($0.members) }), "fault": .text(fault), "payload": .text(payload),
        ]
    }

    private var sourceWord: String {
        switch source {
        case .template: "template"
        case .example: "example"
        case .native: "native"
        }
    }
}

extension Preview.Cut {
    fileprivate var members: [String: JSONOutput] {
        switch self {
        case .byTemplate(let property, let length, let full):
            ["by": .text("template"), "what": .text(property), "shown": .number(length), "of": .number(full)]
        case .byPlatform(let part, let about, let full):
            ["by": .text("platform"), "what": .text(part.rawValue), "shown": .number(about), "of": .number(full)]
        }
    }
}

extension LintFinding {
    /// For people. Quotes what strangers wrote, so it begins no line of its own.
    var onScreen: String {
        let line = self.line.onOneLine
        return level == .info ? line : "\(level.rawValue): \(line)"
    }

    var json: JSONOutput {
        .object([
            "rule": .text(rule.rawValue), "level": .text(level.rawValue), "about": .text(about), "finding": .text(text),
            "hint": .text(hint),
        ])
    }
}
