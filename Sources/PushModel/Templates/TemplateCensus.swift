/// Counts which templates the devices of one hub have. Pure, and bounded: what seldom comes among thousands of others is
/// forgotten, and counted anew when it comes again.
public struct TemplateCensus: Sendable, Equatable {
    /// Templates that are kept of a hub.
    public static let limit = 1_000

    /// One template, with how many devices had it.
    public struct Found: Sendable, Equatable {
        public let template: PlatformTemplate
        /// When a device with it changed last, in seconds since 1970.
        public let seenAt: Double
    }

    private struct Count: Equatable {
        var devices: Int64
        var seenAt: Double
    }

    /// Devices that were looked at.
    public private(set) var devices: Int64 = 0
    /// By template without a count.
    private var counts: [PlatformTemplate: Count] = [:]
    private var bytes = 0
    private let most: (templates: Int, bytes: Int)

    public init() { self.init(templates: 4 * Self.limit, bytes: 16_000_000) }

    /// - Parameters:
    ///   - templates: different ones that are kept in memory.
    ///   - bytes: of their bodies.
    init(templates: Int, bytes: Int) { most = (templates, bytes) }

    public static func == (a: TemplateCensus, b: TemplateCensus) -> Bool {
        a.devices == b.devices && a.counts == b.counts
    }

    /// Counts one device.
    ///
    /// - Parameters:
    ///   - templates: all that it has.
    ///   - moment: when it was registered like this, in seconds since 1970.
    public mutating func add(_ templates: [PlatformTemplate], at moment: Double) {
        devices += 1
        for var template in templates {
            template.devices = 0
            if let count = counts[template] {
                counts[template] = Count(devices: count.devices + 1, seenAt: max(count.seenAt, moment))
            } else {
                counts[template] = Count(devices: 1, seenAt: moment)
                bytes += template.body.utf8.count
            }
        }
        if counts.count > most.templates || bytes > most.bytes { prune() }
    }

    /// What most devices have comes first.
    ///
    /// - Parameter most: default: as many as are kept.
    public func found(most: Int = limit) -> [Found] {
        ordered.prefix(most).map { template, count in
            var template = template
            template.devices = count.devices
            return Found(template: template, seenAt: count.seenAt)
        }
    }

    private var ordered: [(key: PlatformTemplate, value: Count)] {
        counts.sorted { a, b in
            if a.value.devices != b.value.devices { return a.value.devices > b.value.devices }
            if a.value.seenAt != b.value.seenAt { return a.value.seenAt > b.value.seenAt }
            return a.key.precedes(b.key)
        }
    }

    /// Keeps the better half.
    private mutating func prune() {
        var kept: [PlatformTemplate: Count] = [:]
        bytes = 0
        for (template, count) in ordered {
            let size = template.body.utf8.count
            if kept.count >= most.templates / 2 || bytes + size > most.bytes / 2 { break }
            kept[template] = count
            bytes += size
        }
        counts = kept
    }
}

extension PlatformTemplate {
    /// An order in which no two are equal, by bytes.
    fileprivate func precedes(_ other: PlatformTemplate) -> Bool {
        func parts(_ one: PlatformTemplate) -> [String] {
            [one.platform, one.name, one.body, one.headersJSON ?? "", one.expiry ?? ""]
        }
        for (mine, theirs) in zip(parts(self), parts(other)) where !mine.utf8.elementsEqual(theirs.utf8) {
            return mine.utf8.lexicographicallyPrecedes(theirs.utf8)
        }
        return false
    }
}
