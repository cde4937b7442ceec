@testable import PushModel

/// Whom a row asks for, and an evaluator of its own: what `TagExpression` makes of the text is what is tried.
indirect enum Ask {
    case tag(String)
    case and(Ask, Ask)
    case or(Ask, Ask)
    case not(Ask)
    case everybody
    case handles([String])

    var target: Target {
        switch self {
        case .everybody: .broadcast
        case .handles(let handles): .handles(handles)
        default: .tag(text)
        }
    }

    private var text: String {
        switch self {
        case .tag(let tag): tag
        case .and(let a, let b): "(\(a.text)) && (\(b.text))"
        case .or(let a, let b): "\(a.text) || \(b.text)"
        case .not(let a): "!(\(a.text))"
        case .everybody, .handles: ""
        }
    }

    func means(_ device: RandomDevice) -> Bool {
        switch self {
        case .tag(let tag): device.has(tag)
        case .and(let a, let b): a.means(device) && b.means(device)
        case .or(let a, let b): a.means(device) || b.means(device)
        case .not(let a): !a.means(device)
        case .everybody: true
        case .handles(let handles): handles.contains(device.handle)
        }
    }
}

/// A device with some tags, or a phone with some topics.
struct RandomDevice {
    let handle: String
    let tags: Set<String>
    let foldsCase: Bool

    func has(_ tag: String) -> Bool {
        foldsCase ? tags.contains { $0.lowercased() == tag.lowercased() } : tags.contains(tag)
    }

    /// How many notifications it gets from a post.
    func copies(of target: Target) throws -> Int {
        switch target {
        case .broadcast: 1
        case .tag(let text):
            try foldsCase
                ? (TagExpression(text).matches(tags) ? 1 : 0) : (TopicCondition(text).matches(tags) ? 1 : 0)
        case .handles(let handles): handles.count { $0 == handle }
        }
    }
}

/// A hub, rows for it and devices, all of one seed.
struct RandomRows {
    var hub: HubSettings
    var messages: [Message] = []
    var devices: [RandomDevice] = []
    let packsHandles: Bool
    /// By message.
    var asks: [Int64: Ask] = [:]
    let now = 100.0

    private var random: SeededRandom
    /// Whether rows are much alike, so that many share a post.
    private var isAlike = false
    private static let tags = ["a", "A", "b", "c", "World", "world", "d"]
    private static let locales = ["en", "fr", "fr-CA", "zh-Hans", "de", nil]
    private static let handles = ["h1", "h2", "h3", "h4"]

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        packsHandles = random.next() % 8 > 0
        isAlike = random.next() % 2 == 0
        hub = .news
        switch random.next() % 6 {
        case 0, 1: hub.localization = .tags
        case 2:
            hub = HubSettings(name: "news", kind: .fcm)
            hub.tagsAreTopics = true
            hub.packTags = true
            hub.broadcastTopic = "all"
            if chance(3) { hub.localization = .tags }
        default: break
        }
        hub.allowBroadcast = !chance(5)
        if chance(20) { hub.packTags = false }
        if chance(4) { hub.fallback = nil }
        for _ in 0..<Int.random(in: 1...9, using: &random) { addContent() }
        if chance(3) { messages.shuffle(using: &random) }
        let facts = hub.kind.facts
        for handle in Self.handles {
            var tags = Set(Self.tags.filter { _ in chance(2) })
            if chance(2) { tags.insert("locale_" + pick(["en", "fr", "de"])) }
            // Each phone follows the topic for all.
            if facts.tag == .topics { tags.insert("all") }
            devices.append(RandomDevice(handle: handle, tags: tags, foldsCase: facts.foldsCase))
        }
    }

    /// One of so many times.
    private mutating func chance(_ times: UInt64) -> Bool { random.next() % times == 0 }
    /// The same for what keeps rows apart.
    private mutating func differs(_ times: UInt64) -> Bool { chance(isAlike ? times * 5 : times) }
    private mutating func pick<Element>(_ list: [Element]) -> Element { list.randomElement(using: &random)! }

    private mutating func ask() -> Ask {
        switch random.next() % (isAlike ? 40 : 12) {
        case 0: .everybody
        case 1: .and(.tag(pick(Self.tags)), .tag(pick(Self.tags)))
        case 2: .or(.tag(pick(Self.tags)), .and(.tag(pick(Self.tags)), .tag(pick(Self.tags))))
        case 3: .and(.tag(pick(Self.tags)), .not(.tag(pick(Self.tags))))
        case 4: .or(.tag(pick(Self.tags)), .tag(pick(Self.tags)))
        case 5, 6: .handles((0..<(hub.kind == .fcm ? 1 : 1 + random.next() % 3)).map { _ in pick(Self.handles) })
        default: .tag(pick(Self.tags))
        }
    }

    private mutating func addContent() {
        let ask = ask()
        let lead = Int64(messages.count + 1)
        var (format, headers): (String, String?) = ("template", differs(6) ? #"{"apns-priority":"5"}"# : nil)
        if hub.kind == .fcm {
            (format, headers) = ("fcmv1", nil)
        } else if case .handles = ask {
            format = differs(3) ? "xiaomi" : "apple"
        } else if differs(8) {
            format = "xiaomi"
        }
        let isTranslated = format == "template" && chance(hub.localization == .tags ? 6 : 2)
        let rows = isTranslated ? Int.random(in: 1...4, using: &random) : 1
        for row in 0..<rows {
            let id = Int64(messages.count + 1)
            // A translation for somebody else is refused.
            let own: Ask = row > 0 && chance(10) ? .tag("other") : ask
            asks[id] = own
            messages.append(
                Message(
                    id: id, lead: lead, attempt: differs(6) ? 1 : 0, target: differs(25) ? .tag("no tag") : own.target,
                    locale: rows > 1 || differs(4) ? pick(Self.locales) : nil, content: content(format), format: format,
                    headers: headers,
                    expiresAt: differs(2) ? pick([50, 150, 150.5, 170]) : .infinity,
                    priority: differs(9) ? .urgent : .normal, onDoubt: differs(7) ? .resend : nil, pack: !differs(9)))
        }
    }

    private mutating func content(_ format: String) -> String {
        let text = differs(3) ? "y" : "x"
        return switch format {
        case "apple": #"{"aps":{"alert":"\#(text)"}}"#
        case "fcmv1": #"{"message":{"notification":{"title":"\#(text)"}}}"#
        default: differs(5) ? #"{"t":"\#(text)","u":"z"}"# : #"{"t":"\#(text)"}"#
        }
    }

    /// The plan of all rows, or of some.
    func plan(of messages: [Message]? = nil, notes: PlanNotes? = nil) -> Plan {
        Plan(messages ?? self.messages, for: hub, now: now, packsHandles: packsHandles, notes: notes)
    }
}
