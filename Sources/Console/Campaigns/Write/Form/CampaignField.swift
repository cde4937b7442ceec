/// One field of the form of a campaign: a member of the spec that is a text, a number or a short list. The raw value is its path
/// there (docs/campaigns.md, "The spec").
enum CampaignField: String, Sendable, CaseIterable {
    case tags = "audience.tags"
    case expression = "audience.expression"
    case broadcast = "audience.broadcast"
    case list = "audience.list"
    case handles = "audience.handles"
    case view = "audience.view"

    case format, fallback

    case rate, spread, ramp, priority, pack, onDoubt

    case expires, maxDuration
    case localTime = "local.time"
    case localZones = "local.zones"
    case localDefault = "local.default"
    case localPassed = "local.passed"

    case canaryShare = "canary.share"
    case canaryLeast = "canary.least"
    case canaryWait = "canary.wait"
    case canaryFailed = "canary.failed"
    case canaryDoubt = "canary.doubt"
    case canaryThen = "canary.then"
    case stopRejected = "stopWhen.rejected"
    case stopDoubt = "stopWhen.doubt"
    case stopLeast = "stopWhen.least"
    case windowFrom = "window.from"
    case windowUntil = "window.until"
    case windowDays = "window.days"
    case windowOutside = "window.outside"
    case windowZone = "window.zone"
    case capCount = "cap.count"
    case capDays = "cap.days"
    case capGroup = "cap.group"
    case approval

    /// How its text stands in the spec.
    enum Kind: Sendable {
        case text
        /// A text that is no number becomes a string, and PostgreSQL refuses it by its name.
        case number
        /// `true` and `false`.
        case flag
        /// A list of texts, one a line.
        case lines
        /// The same, or the word `audience` alone.
        case zones
        /// `{"list": …}`
        case handles
    }

    var kind: Kind {
        switch self {
        case .rate, .priority, .canaryShare, .canaryLeast, .canaryFailed, .canaryDoubt, .stopRejected, .stopDoubt,
            .stopLeast, .capCount, .capDays:
            .number
        case .pack, .broadcast: .flag
        case .tags: .lines
        case .localZones: .zones
        case .handles: .handles
        default: .text
        }
    }

    /// The member of the spec that it belongs to: `canary`.
    var member: String { String(rawValue.prefix { $0 != "." }) }

    /// Its name inside that member; nil: it is the member.
    var inner: String? {
        rawValue.contains(".") ? String(rawValue.drop { $0 != "." }.dropFirst()) : nil
    }

    /// In forms: names of fields have no capital letters.
    var name: String { rawValue.lowercased() }

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

    /// - Returns: nil: no field has that name.
    init?(name: String) {
        guard let field = Self.byName[name] else { return nil }
        self = field
    }

    /// The fields of a member, in order.
    static func all(of member: String) -> [CampaignField] { allCases.filter { $0.member == member } }
}
