/// Joins posts that say the same into one, to `a || b || c` or to a list of handles (architecture.md section 3).
///
/// Together go posts with byte-identical bodies and headers, of one format, with one answer to doubt and as many attempts
/// behind them: a post has one verdict, and a message must not be given up because a stranger had failed more often.
/// Never tag expressions, broadcasts, or rows that opted out.
///
/// Two messages for the same tag are two pushes, whatever they say, and so never share a post: a device with the tag would
/// get one. Each goes into a layer of its own, in which every tag stands once.
struct Packer {
    private let hub: HubSettings
    /// In the order of the messages; what is packed into another post is not in here.
    private var posts: [Post] = []
    /// What is packed into each post.
    private var riders: [[Post.Part]] = []
    private var groups: [Group] = []
    private var known: [Key: Int] = [:]

    init(_ hub: HubSettings, capacity: Int) {
        self.hub = hub
        posts.reserveCapacity(capacity)
        riders.reserveCapacity(capacity)
    }

    /// Adds a planned post of one content.
    mutating func add(_ post: Post, of messages: some Collection<Message>) {
        guard hub.packTags, let key = key(of: post, messages) else { return append(post) }
        // Found or made in one step: the body is hashed once.
        let group = { (index: inout Int) in index }(&known[key, default: groups.count])
        if group == groups.count {
            groups.append(Group(first: posts.count))
            return append(post)
        }
        let first = groups[group].first
        if groups[group].layers.isEmpty { groups[group].welcome(posts[first].target, at: first) }
        if let host = groups[group].welcome(post.target, at: posts.count) {
            riders[host].append(Post.Part(messages: post.messages, target: post.target))
        } else {
            append(post)
        }
    }

    /// The posts that leave.
    consuming func finish() -> [Post] {
        for (index, more) in riders.enumerated() where !more.isEmpty {
            let host = posts[index]
            posts[index] = Post(
                parts: host.parts + more, format: host.format, headers: host.headers, body: host.body)
        }
        return posts
    }

    private mutating func append(_ post: Post) {
        posts.append(post)
        riders.append([])
    }

    /// nil: it shares its post with nobody.
    private func key(of post: Post, _ messages: some Collection<Message>) -> Key? {
        var holds = false
        var attempt: Int16 = 0
        for message in messages {
            // A broadcast in one language leaves to a plain tag as well, and is a broadcast all the same.
            guard message.pack, message.target == post.target else { return nil }
            if (message.onDoubt ?? hub.onDoubt) == .hold { holds = true }
            attempt = max(attempt, message.attempt)
        }
        switch post.target {
        case .broadcast: return nil
        case .tag(let tag): if !Tag.isPlain(tag) { return nil }
        case .handles: break
        }
        return Key(post, holds: holds, attempt: attempt)
    }
}

extension Packer {
    /// What posts must have in common to become one.
    private struct Key: Hashable {
        let body: [UInt8]
        let headers: [Post.Header]
        let format: String
        let holds: Bool
        let attempt: Int16
        let isDirect: Bool

        /// Of the body, taken once: a dictionary that grows asks for it again.
        private let digest: Int

        init(_ post: Post, holds: Bool, attempt: Int16) {
            body = post.body
            headers = post.headers
            format = post.format
            self.holds = holds
            self.attempt = attempt
            isDirect = post.target.tag == nil
            // As a whole: byte by byte it would cost more than all the rest of planning.
            var hasher = Hasher()
            post.body.withUnsafeBytes { hasher.combine(bytes: $0) }
            digest = hasher.finalize()
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(digest)
        }
    }

    /// Posts of one key.
    private struct Group {
        /// Where the first one stands. What is below stays empty until a second one comes: most have none.
        let first: Int
        var layers: [Layer] = []
        /// How many messages there were for a tag, in lower case, or a handle.
        private var seen: [String: Int] = [:]

        /// Posts in which no tag and no handle stands twice.
        struct Layer {
            /// Where the post stands that still has room.
            var host: Int
            var count: Int
        }

        init(first: Int) {
            self.first = first
        }

        /// Finds room for one more target.
        ///
        /// - Parameter index: where its own post would stand.
        /// - Returns: where the post stands that it rides in; nil: none has room, it leads the next one.
        @discardableResult
        mutating func welcome(_ target: Target, at index: Int) -> Int? {
            let addresses = target.addresses
            let layer = addresses.reduce(0) { max($0, seen[$1] ?? 0) }
            for address in addresses { seen[address] = layer + 1 }
            if layer == layers.count {
                layers.append(Layer(host: index, count: addresses.count))
                return nil
            }
            if layers[layer].count + addresses.count > target.packLimit {
                layers[layer] = Layer(host: index, count: addresses.count)
                return nil
            }
            layers[layer].count += addresses.count
            return layers[layer].host
        }
    }
}

extension Target {
    /// The tag or expression; nil: it has none.
    fileprivate var tag: String? { if case .tag(let tag) = self { tag } else { nil } }

    /// What must not stand twice in one post.
    fileprivate var addresses: [String] {
        switch self {
        case .tag(let tag): [tag.lowercased()]  // tags compare without case
        case .handles(let handles): handles
        case .broadcast: []
        }
    }

    /// How many of them one post takes.
    fileprivate var packLimit: Int { tag == nil ? Target.handleLimit : TagExpression.orLimit }
}
