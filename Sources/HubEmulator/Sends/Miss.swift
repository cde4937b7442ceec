import PushModel

/// Why a device does not get a send.
enum Miss: Sendable, Equatable {
    /// Its tags do not match: it would have to gain those it `lacks` and lose those it `has`. With `any`, one of the
    /// lacking ones is enough.
    case tags(lacks: [String], has: [String], any: Bool)
    case impossibleTags
    /// Its topics do not fulfil the condition.
    case condition(has: [String], lacks: [String])
    /// An empty tags header selects no device.
    case noTags
    /// A template send reaches templates only.
    case noTemplate
    /// A send in one platform's format, and the device is of another.
    case otherPlatform(Installation.Platform, format: SendFormat)
    case expired(String)
    case tooLarge(bytes: Int, limit: Int)
    /// It matches, but a test send stops after the first devices.
    case beyondTest
    /// It matches now.
    case changedSince

    /// Judges one device. nil: it gets the send.
    ///
    /// - Parameters:
    ///   - audience: not of a direct send, which reaches handles.
    ///   - now: seconds since 1970.
    init?(of device: Device, _ audience: Audience, _ format: SendFormat, now: Double) {
        if case .topics(let condition) = audience {
            self.init(of: device, condition, now: now)
            return
        }
        let parts = device.parts.all.filter { format.reaches($0, of: device.platform) }
        if parts.isEmpty {
            self = format == .template ? .noTemplate : .otherPlatform(device.platform, format: format)
            return
        }
        switch audience {
        case .noDevices:
            self = .noTags
            return
        case .tagged(let expression):
            let matches = parts.contains { part in expression.matches { device.has($0, in: part) } }
            if !matches, let part = parts.first {
                self = Self.tags(expression) { device.has($0, in: part) }
                return
            }
        case .allDevices, .handles, .topics: break
        }
        guard device.expires <= now else { return nil }
        self = .expired(CivilTime(secondsSince1970: device.expires).internet)
    }

    /// Judges a phone of an FCM sender.
    private init?(of device: Device, _ condition: FCMCondition, now: Double) {
        let held = Set(device.topics)
        guard condition.matches(where: held.contains) else {
            let lacks = condition.topics.filter { !held.contains($0) }
            // With two topics or more, one that it lacks may be enough, or one that it has too many.
            self =
                condition.topics.count == 1
                ? .tags(lacks: lacks, has: condition.topics.filter(held.contains), any: false)
                : .condition(has: condition.topics.filter(held.contains), lacks: lacks)
            return
        }
        guard device.expires <= now else { return nil }
        self = .expired(CivilTime(secondsSince1970: device.expires).internet)
    }

    /// The smallest change of a device's tags that would make it match.
    ///
    /// - Parameter hasTag: called with a tag in lower case.
    static func tags(_ expression: TagExpression, hasTag: (String) -> Bool) -> Miss {
        let tags = expression.tags
        let held = Set(tags.map(\.folded).filter(hasTag))
        // With `||` alone a device that does not match has none of them, and any one would do.
        if expression.onlyOr { return .tags(lacks: tags.map(\.text), has: [], any: true) }
        // Otherwise there are at most 6 tags, and so 64 sets.
        let changes = (1..<1 << tags.count).sorted { ($0.nonzeroBitCount, $0) < ($1.nonzeroBitCount, $1) }
        for change in changes {
            let changed = tags.indices.filter { change >> $0 & 1 == 1 }.map { tags[$0] }
            guard expression.matches(folded: held.symmetricDifference(changed.map(\.folded))) else { continue }
            return .tags(
                lacks: changed.filter { !held.contains($0.folded) }.map(\.text),
                has: changed.filter { held.contains($0.folded) }.map(\.text), any: false)
        }
        return .impossibleTags
    }

    /// For people: `lacks World`, `has Sports`.
    var text: String {
        switch self {
        case .tags(let lacks, let has, let any):
            if any { return lacks.count == 1 ? "lacks \(lacks[0])" : "has none of \(lacks.joined(separator: ", "))" }
            var parts = lacks.isEmpty ? [] : ["lacks \(lacks.joined(separator: ", "))"]
            if !has.isEmpty { parts.append("has \(has.joined(separator: ", "))") }
            return parts.joined(separator: " and ")
        case .condition(let has, let lacks):
            let held = has.isEmpty ? "no topic of the condition" : has.joined(separator: ", ")
            return "has \(held)" + (lacks.isEmpty ? "" : " and not \(lacks.joined(separator: ", "))")
        case .impossibleTags: return "no device can match the expression"
        case .noTags: return "the tags header is empty, which selects no device"
        case .noTemplate: return "has no template, and a template send reaches only templates"
        case .otherPlatform(let platform, let format):
            let other = format.platform?.rawValue ?? "others"
            return "is \(platform.rawValue), and \(format.rawValue) reaches only \(other)"
        case .expired(let time): return "expired at \(time)"
        case .tooLarge(let bytes, let limit):
            return "its payload has \(bytes.grouped) bytes, and its platform takes \(limit.grouped)"
        case .beyondTest: return "a test send goes to the first \(Delivery.testLimit) devices only"
        case .changedSince:
            return "would get it now: it was registered or changed after the send, or its inbox was cleared"
        }
    }
}
