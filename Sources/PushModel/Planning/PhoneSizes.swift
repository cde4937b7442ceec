/// How large the payloads are that phones get of the posts of a plan, by the templates that devices of the hub are known to
/// have. It keeps numbers and no bodies. Pure.
public struct PhoneSizes: Sendable {
    /// What comes nearest to the limit of one platform, or is furthest beyond it.
    public struct Largest: Sendable, Equatable {
        public let platform: DevicePlatform
        /// Of the payload.
        public fileprivate(set) var bytes: Int
        /// Bytes that a payload may have.
        public fileprivate(set) var limit: Int
        /// What makes it.
        public fileprivate(set) var template: String
        /// What it is made of.
        public fileprivate(set) var post: Int
        /// Posts of which a template makes a payload that is too large: the platform drops it.
        public fileprivate(set) var tooLarge = 0

        fileprivate var excess: Int { bytes - limit }
    }

    /// Payloads that are rendered: a plan of 100,000 posts for 100 templates has an end.
    public static let limit = 20_000

    /// In the order of `DevicePlatform`; empty: no template is known, or no post is for templates.
    public var largest: [Largest] { DevicePlatform.allCases.compactMap { byPlatform[$0] } }
    /// Posts that templates render.
    public private(set) var posts = 0
    /// Posts that were not looked at, because there are more than `limit` payloads.
    public private(set) var unseen = 0
    /// Whether a template is known that a hub takes.
    public var isKnown: Bool { !templates.isEmpty }

    private let templates: [(name: String, platform: DevicePlatform, registered: RegisteredTemplate)]
    private var byPlatform: [DevicePlatform: Largest] = [:]
    private var rendered = 0
    /// The platforms that a body is too large for, by its hash: many posts say the same to other tags.
    private var tooLarge: [Int: [DevicePlatform]] = [:]

    /// - Parameter templates: without push variables of a device. Those that no hub takes are passed over.
    public init(_ templates: [PreviewTemplate] = []) {
        self.templates = templates.compactMap { template in
            (try? template.registered()).map { (template.name, template.platform, $0) }
        }
    }

    /// - Parameter number: of the post.
    mutating func add(_ post: Post, number: Int) {
        guard post.format == "template" else { return }
        posts += 1
        if templates.isEmpty { return }
        let hash = post.body.hashValue
        if tooLarge[hash] == nil {
            guard rendered < Self.limit else { return unseen += 1 }
            tooLarge[hash] = render(post.body, number)
        }
        for platform in tooLarge[hash] ?? [] { byPlatform[platform]?.tooLarge += 1 }
    }

    /// - Returns: the platforms that drop what a template makes of it.
    private mutating func render(_ body: [UInt8], _ post: Int) -> [DevicePlatform] {
        guard let message = try? StringObject(body) else { return [] }  // never: the planner has written it
        rendered += templates.count
        let properties = Dictionary(message.pairs.map { ($0.name, $0.value) }) { first, _ in first }
        var dropping: [DevicePlatform] = []
        for (name, platform, registered) in templates {
            let (payload, headers) = registered.render(properties)
            let made = Largest(
                platform: platform, bytes: payload.utf8.count, limit: platform.payloadLimit(headers), template: name,
                post: post)
            if made.excess > 0, !dropping.contains(platform) { dropping.append(platform) }
            guard let known = byPlatform[platform] else {
                byPlatform[platform] = made
                continue
            }
            guard made.excess > known.excess else { continue }
            byPlatform[platform] = made
            byPlatform[platform]?.tooLarge = known.tooLarge
        }
        return dropping
    }
}

extension PhoneSizes.Largest {
    /// `apns 190 of 4,096 bytes (template news-fr)`
    public var text: String {
        let size = "\(HumanFormat.grouped(bytes)) of \(HumanFormat.grouped(limit)) bytes"
        if tooLarge == 0 { return "\(platform.rawValue) \(size) (template \(template))" }
        let posts = "\(HumanFormat.grouped(tooLarge)) post\(tooLarge == 1 ? "" : "s") too large"
        return "\(platform.rawValue) \(posts), \(size) (template \(template), post \(post))"
    }
}
