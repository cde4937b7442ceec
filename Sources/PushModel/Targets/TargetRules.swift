extension Target {
    /// The target in the form to send: one tag as written, an expression with every parenthesis, each handle once. Where
    /// tags are topics, a broadcast becomes the hub's topic for it.
    ///
    /// - Throws: when it is not a valid expression, more handles than one post takes, or a broadcast that the hub does not
    ///   allow.
    func checked(for hub: HubSettings) throws(Unsendable) -> Target {
        let kind = hub.kind.facts
        switch self {
        case .tag(let text):
            if kind.tag == .expression {
                return Tag.isPlain(text) ? self : .tag(try Target.expression(text).description)
            }
            guard kind.tag == .topics, hub.tagsAreTopics else {
                throw Unsendable(
                    "tag", text,
                    kind.tag == .topics
                        ? "hub \(hub.name) is \(kind.label) and has no tags; set hubs.\(hub.name).tags \"topics\", or write "
                            + "handles"
                        : "hub \(hub.name) is \(kind.label), which has no tags; write handles")
            }
            return Topic.isTopic(text) ? self : .tag(try Target.condition(text).description)
        case .broadcast:
            guard kind.takesBroadcasts else {
                throw Unsendable("broadcast", nil, "hub \(hub.name) is \(kind.label), which has no broadcasts")
            }
            guard hub.allowBroadcast else {
                throw Unsendable(
                    "broadcast", nil, "hub \(hub.name) does not allow it; set hubs.\(hub.name).allowBroadcast")
            }
            guard kind.tag == .topics else { return self }
            guard let topic = hub.broadcastTopic else {
                throw Unsendable(
                    "broadcast", nil,
                    "hub \(hub.name) is \(kind.label) and has no topic for it; set hubs.\(hub.name).broadcastTopic")
            }
            return .tag(topic)
        case .handles(let handles):
            guard (1...kind.handles).contains(handles.count) else {
                let range =
                    kind.handles == 1
                    ? "exactly one; write a row for each: INSERT INTO push.message (hub, handles, format, content) SELECT "
                        + "'\(hub.name)', ARRAY[h], '\(kind.formats[0])', '{...}' FROM unnest('{...}'::text[]) h"
                    : "1 to \(kind.handles)"
                throw Unsendable("handles", nil, "there are \(handles.count), one request takes \(range)")
            }
            for (index, handle) in handles.enumerated() where !Target.isHandle(handle) {
                throw Unsendable(
                    "handles", nil,
                    "number \(index + 1) is not a handle: 1 to \(Target.handleLengthLimit) visible ASCII characters, "
                        + "no spaces")
            }
            if kind.handles == 1, handles == ["fid:"] {
                throw Unsendable("handles", nil, "number 1 names no installation behind fid:")
            }
            guard handles.count > 1 else { return self }
            // A table of devices may hold a token twice, and the hub notifies a device as often as it is named.
            var seen: Set<String> = []
            return .handles(handles.filter { seen.insert($0).inserted })
        }
    }

    /// Characters a handle may have: half of what a header can hold. Handles of FCM have about 170.
    public static let handleLengthLimit = 4096

    /// Whether a text can be a device's handle.
    public static func isHandle(_ text: String) -> Bool {
        (1...handleLengthLimit).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
    }

    /// A checked target, for devices of one language only. A broadcast in French becomes the tag `locale_fr`.
    ///
    /// - Throws: when one more tag puts the expression over a limit.
    func narrowed(to locale: LocaleTag, on kind: HubFacts) throws(Unsendable) -> Target {
        guard case .tag(let text) = self else { return .tag(locale.tag) }
        let narrowed = "(\(text)) && \(locale.tag)"
        if Target.isPlain(text, on: kind) { return .tag(narrowed) }
        do throws(TagExpressionError) {
            if kind.tag == .topics { _ = try TopicCondition(narrowed) } else { _ = try TagExpression(narrowed) }
        } catch {
            throw Unsendable("tag", text, "with \(locale.tag) for its locale, \(error.rule)")
        }
        return .tag(narrowed)
    }

    /// Whether a text is one tag there, which needs no parsing. Allocates nothing.
    static func isPlain(_ tag: String, on kind: HubFacts) -> Bool {
        kind.tag == .topics ? Topic.isTopic(tag) : Tag.isPlain(tag)
    }

    private static func condition(_ text: String) throws(Unsendable) -> TopicCondition {
        do throws(TagExpressionError) {
            return try TopicCondition(text)
        } catch {
            throw Unsendable("tag", text, "\(error)")
        }
    }

    private static func expression(_ text: String) throws(Unsendable) -> TagExpression {
        do throws(TagExpressionError) {
            return try TagExpression(text)
        } catch {
            throw Unsendable("tag", text, "\(error)")
        }
    }

    /// The column it came from.
    var column: String {
        switch self {
        case .tag: "tag"
        case .broadcast: "broadcast"
        case .handles: "handles"
        }
    }
}
