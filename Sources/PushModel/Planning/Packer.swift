/// Joins posts of equal content into one, to `a || b || c` or to a list of handles (docs/storage.md, "Plan").
///
/// Posts are packed when body and headers are equal byte for byte, and format, `on_doubt` and attempts are equal too: a
/// post has one verdict, and a message must not be given up because others in its post had failed more often. Where the
/// service is told when a message ends and how urgent it is, the second in which they end and their priority must be equal
/// as well. Tag expressions, broadcasts and rows with `pack = false` are never packed.
///
/// Two messages for the same tag are two pushes even when their contents are equal, so they never share a post: a
/// device with the tag would get only one. They go into different layers; within a layer every tag is unique.
struct Packer {
    private let hub: HubSettings
    private let kind: HubFacts
    private let packsHandles: Bool
    /// nil: nobody asks why.
    private let notes: PlanNotes?
    /// In the order of the messages; a post that was packed into another is not in here.
    private var posts: [Post] = []
    /// What is packed into each post, by its index.
    private var packed: [[Post.Part]] = []
    private var groups: [Group] = []
    private var known: [Key: Int] = [:]

    init(_ hub: HubSettings, capacity: Int, packsHandles: Bool = true, notes: PlanNotes? = nil) {
        self.hub = hub
        kind = hub.kind.facts
        self.packsHandles = packsHandles && kind.handles > 1
        self.notes = notes
        posts.reserveCapacity(capacity)
        packed.reserveCapacity(capacity)
    }

    /// Adds a planned post of one content.
    ///
    /// - Parameter rows: the messages of the post.
    mutating func add(_ post: Post, of rows: some Collection<Message>) {
        let key: Key
        switch packing(of: post, rows) {
        case .alone(let reason):
            notes?.opens(post, apart: reason)
            return append(post)
        case .shared(let found): key = found
        }
        // Found or made in one step: the body is hashed once.
        let group = { (index: inout Int) in index }(&known[key, default: groups.count])
        if group == groups.count {
            groups.append(Group(first: posts.count))
            notes?.opens(post, group: group, key)
            return append(post)
        }
        let first = groups[group].first
        if groups[group].layers.isEmpty { groups[group].place(posts[first].target, at: first, kind) }
        let place = groups[group].place(post.target, at: posts.count, kind)
        notes?.places(post, group: group, place)
        guard case .joins(let host, _) = place else { return append(post) }
        packed[host].append(Post.Part(messages: post.messages, target: post.target))
        if let end = post.expiresAt { posts[host].expiresAt = min(posts[host].expiresAt ?? end, end) }
        posts[host].priority = min(posts[host].priority, post.priority)
    }

    /// The finished posts.
    consuming func finish() -> [Post] {
        notes?.finish(groups)
        for (index, more) in packed.enumerated() where !more.isEmpty {
            let host = posts[index]
            posts[index] = Post(
                parts: host.parts + more, format: host.format, headers: host.headers, body: host.body,
                expiresAt: host.expiresAt, priority: host.priority)
        }
        return posts
    }

    private mutating func append(_ post: Post) {
        posts.append(post)
        packed.append([])
    }

    /// With whom a post may be packed.
    private enum Packing {
        /// With no other, whatever that one says.
        case alone(Apart)
        /// With those of the same key.
        case shared(Key)
    }

    private func packing(of post: Post, _ rows: some Collection<Message>) -> Packing {
        var isBroadcast = false
        var holds = false
        var attempt: Int16 = 0
        for row in rows {
            guard row.pack else { return .alone(.pack) }
            // A broadcast in one language has a plain tag as its target, and is still a broadcast.
            if case .broadcast = row.target { isBroadcast = true }
            if (row.onDoubt ?? hub.onDoubt) == .hold { holds = true }
            attempt = max(attempt, row.attempt)
        }
        if !hub.packTags { return .alone(.packTags) }
        if isBroadcast { return .alone(.broadcast) }
        switch post.target {
        case .broadcast: return .alone(.broadcast)
        case .tag(let tag): if !Target.isPlain(tag, on: kind) { return .alone(.expression) }
        case .handles: if !packsHandles { return .alone(.oneHandle) }
        }
        return .shared(Key(post, holds: holds, attempt: attempt, life: kind.joinsLives ? nil : Life(post)))
    }
}

extension Packer {
    /// What a service is told about a post beside its content.
    struct Life: Hashable {
        /// Seconds since 1970, whole ones: the defaults of rows of one statement differ by microseconds.
        let end: Double?
        let priority: Priority

        init(_ post: Post) {
            end = post.expiresAt?.rounded(.down)
            priority = post.priority
        }
    }

    /// What posts must have in common to become one.
    struct Key: Hashable {
        let body: [UInt8]
        let headers: [Post.Header]
        let format: String
        let holds: Bool
        let attempt: Int16
        let isDirect: Bool
        /// nil: it does not matter.
        let life: Life?

        /// The hash of the body, computed once: a growing dictionary asks for it again.
        let digest: Int

        init(_ post: Post, holds: Bool, attempt: Int16, life: Life?) {
            body = post.body
            headers = post.headers
            format = post.format
            self.holds = holds
            self.attempt = attempt
            isDirect = post.target.tag == nil
            self.life = life
            // All bytes at once: hashed byte by byte they would cost more than the rest of planning.
            var hasher = Hasher()
            post.body.withUnsafeBytes { hasher.combine(bytes: $0) }
            digest = hasher.finalize()
        }

        /// Headers of their own are what thousands of messages with one text may have.
        func hash(into hasher: inout Hasher) {
            hasher.combine(digest)
            if !headers.isEmpty { hasher.combine(headers) }
        }

        static func == (a: Key, b: Key) -> Bool { a.digest == b.digest && a.apart(from: b) == nil }

        /// The first part in which two keys differ; nil: they are equal.
        func apart(from other: Key) -> Apart? {
            if body != other.body { return .body }
            if headers != other.headers { return .headers }
            if format != other.format { return .format }
            if holds != other.holds { return .onDoubt }
            if attempt != other.attempt { return .attempt }
            if isDirect != other.isDirect { return .direct }
            return life == other.life ? nil : .life
        }

        /// Of all parts; equal keys have equal ones.
        var fingerprint: Int {
            var hasher = Hasher()
            hasher.combine(digest)
            hasher.combine(headers)
            hasher.combine(format)
            hasher.combine(holds)
            hasher.combine(attempt)
            hasher.combine(isDirect)
            hasher.combine(life)
            return hasher.finalize()
        }
    }

    /// Posts of one key.
    struct Group {
        /// The index of the first post. The other fields stay empty until a second one comes; most groups have only
        /// one.
        let first: Int
        var layers: [Layer] = []
        /// How many messages came for a tag, folded where tags compare without case, or for a handle.
        private var seen: [String: Int] = [:]

        /// A post in which no tag and no handle appears twice.
        struct Layer {
            /// The index of the post that still has room.
            var host: Int
            var count: Int
        }

        init(first: Int) {
            self.first = first
        }

        /// Where a target goes.
        enum Place {
            /// Into the post with the index `host`.
            case joins(host: Int, layer: Int)
            /// Into a post of its own, with the reason.
            case opens(Apart, layer: Int)
        }

        /// Finds room for one more target.
        ///
        /// - Parameter index: where its own post would go.
        @discardableResult
        mutating func place(_ target: Target, at index: Int, _ kind: HubFacts) -> Place {
            let addresses = target.addresses(on: kind)
            let layer = addresses.reduce(0) { max($0, seen[$1] ?? 0) }
            for address in addresses { seen[address] = layer + 1 }
            if layer == layers.count {
                layers.append(Layer(host: index, count: addresses.count))
                return .opens(.repeatedTag, layer: layer)
            }
            if layers[layer].count + addresses.count > target.packLimit(on: kind) {
                layers[layer] = Layer(host: index, count: addresses.count)
                return .opens(.full, layer: layer)
            }
            layers[layer].count += addresses.count
            return .joins(host: layers[layer].host, layer: layer)
        }
    }
}

extension Target {
    /// The tag or expression; nil for other targets.
    fileprivate var tag: String? { if case .tag(let tag) = self { tag } else { nil } }

    /// What must be unique within a post.
    fileprivate func addresses(on kind: HubFacts) -> [String] {
        switch self {
        case .tag(let tag): [kind.foldsCase ? tag.lowercased() : tag]
        case .handles(let handles): handles
        case .broadcast: []
        }
    }

    /// How many addresses one post takes.
    fileprivate func packLimit(on kind: HubFacts) -> Int { tag == nil ? kind.handles : kind.tags }
}
