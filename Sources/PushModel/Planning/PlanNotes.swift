/// What was decided about each content of one plan, for people who ask why.
///
/// `Planner` and `Packer` write into it where they decide, so it says what they did and decides nothing. Workers plan without
/// one, which costs nothing. It keeps the bodies of its plan alive. Not `Sendable`: one plan writes, then one reader reads.
public final class PlanNotes {
    /// A row of a content.
    public struct Row: Sendable, Equatable {
        public let message: Int64
        /// The languages whose text it has, in the order of the hub's languages: as words in names of properties
        /// (`French`), or as locales where a post has one language. Empty: it has no language, or no language needs it.
        public let languages: [String]
    }

    /// Rows that were planned as one: a part of a post.
    public struct Content {
        /// The messages of its rows, the lead first; never empty.
        public let messages: [Int64]
        /// The languages that lack something of their own, which the fallback or the row without locale gives.
        public let filled: [String]
        /// The index of its post in `Plan.posts`.
        public let post: Int
        /// How many posts with the same body had to come before it, as each has a message for one of its tags or handles.
        public let layer: Int
        let target: Target
        /// The packer's group; nil: it shares a post with no other content.
        let group: Int?
        /// By row; empty: no row has a language.
        fileprivate let languagesByRow: [[String]]

        /// The row whose target and headers the content has.
        public var lead: Int64 { messages[0] }
        public var rows: [Row] {
            messages.enumerated().map { index, message in
                Row(message: message, languages: languagesByRow.isEmpty ? [] : languagesByRow[index])
            }
        }
        /// The languages of all its rows, each once.
        public var languages: [String] {
            var seen: Set<String> = []
            return languagesByRow.joined().filter { seen.insert($0).inserted }
        }
    }

    /// In the order of the messages.
    public private(set) var contents: [Content] = []
    /// Why each post of `Plan.posts` is a post of its own.
    public private(set) var apart: [Apart] = []
    /// As the plan got it.
    private(set) var now = 0.0
    /// The packer's, at its end.
    private(set) var groups: [Packer.Group] = []

    /// Of each group.
    private(set) var keys: [Packer.Key] = []
    /// The first group of a body, by the body's digest.
    private var firsts: [Int: Int] = [:]
    /// The last group of a body with the same headers. Bodies with one group are not in here.
    private var lasts: [BodyWithHeaders: Int] = [:]
    /// Of such a group, the one before it with the same body and headers.
    private var previous: [Int: Int] = [:]
    /// Of the content that is being planned.
    private var languages: [Int64: [String]] = [:]
    private var filled: [String] = []
    /// Of the bodies that several recipients of a run get.
    private var runLanguages: [Planner.RunBody: (own: [String], filled: [String])] = [:]

    public init() {}

    // MARK: - The plan writes

    /// A plan begins. What another one wrote is gone.
    func begin(now: Double, capacity: Int) {
        self.now = now
        contents = []
        contents.reserveCapacity(capacity)
        apart = []
        groups = []
        keys = []
        firsts = [:]
        lasts = [:]
        previous = [:]
        runLanguages = [:]
        beginContent()
    }

    /// The next message is planned. The one before may have been refused with half of its languages written.
    func beginContent() {
        if !languages.isEmpty { languages.removeAll(keepingCapacity: true) }
        if !filled.isEmpty { filled.removeAll() }
    }

    // MARK: - The planner writes

    /// A language gets text from a row that has it. Called language by language.
    func gives(_ language: String, from message: Int64) {
        if languages[message]?.last != language { languages[message, default: []].append(language) }
    }

    /// A language gets text that is not its own. Called language by language.
    func fills(_ language: String) {
        if filled.last != language { filled.append(language) }
    }

    /// The languages of the recipient are those of everybody who gets this body.
    func keepLanguages(of message: Int64, as body: Planner.RunBody) {
        runLanguages[body] = (languages[message] ?? [], filled)
    }

    func reuseLanguages(of body: Planner.RunBody, for message: Int64) {
        guard let known = runLanguages[body] else { return }
        languages[message] = known.own
        filled = known.filled
    }

    // MARK: - The packer writes

    /// The content shares a post with no other.
    func opens(_ post: Post, apart reason: Apart) {
        open(post, because: reason, layer: 0, nil)
    }

    /// The content is the first of its key. What keeps it apart from the group that is most like it is the reason.
    func opens(_ post: Post, group: Int, _ key: Packer.Key) {
        keys.append(key)
        open(post, because: reason(for: group, key), layer: 0, group)
    }

    /// The content has the key of a group.
    func places(_ post: Post, group: Int, _ place: Packer.Group.Place) {
        switch place {
        case .joins(let host, let layer): add(post, to: host, layer: layer, group)
        case .opens(let reason, let layer): open(post, because: reason, layer: layer, group)
        }
    }

    func finish(_ groups: [Packer.Group]) { self.groups = groups }

    private func open(_ post: Post, because reason: Apart, layer: Int, _ group: Int?) {
        apart.append(reason)
        add(post, to: apart.count - 1, layer: layer, group)
    }

    private func add(_ post: Post, to index: Int, layer: Int, _ group: Int?) {
        contents.append(
            Content(
                messages: post.messages, filled: filled, post: index, layer: layer, target: post.target, group: group,
                languagesByRow: languages.isEmpty ? [] : post.messages.map { languages[$0] ?? [] }))
    }
}

extension PlanNotes {
    fileprivate struct BodyWithHeaders: Hashable {
        let digest: Int
        let headers: [Post.Header]

        init(_ key: Packer.Key) {
            digest = key.digest
            headers = key.headers
        }
    }

    /// What keeps a new group from the one before it that is most like it. It is found along those with the same body and
    /// headers: many groups may share a body.
    private func reason(for group: Int, _ key: Packer.Key) -> Apart {
        let first = { (index: inout Int) in index }(&firsts[key.digest, default: group])
        guard first != group, var reason = key.apart(from: keys[first]) else { return .body }
        let firstOfBody = BodyWithHeaders(keys[first])
        if lasts[firstOfBody] == nil { lasts[firstOfBody] = first }
        let like = BodyWithHeaders(key)
        var other = lasts[like]
        previous[group] = other
        lasts[like] = group
        while let index = other {
            if let next = key.apart(from: keys[index]), next != reason, next > reason { reason = next }
            other = previous[index]
        }
        return reason
    }

    func packing(of content: Content) -> Packing {
        guard let group = content.group else { return .alone(apart[content.post]) }
        return .group(keys[group])
    }

    /// What the packer saw in a content.
    enum Packing: Sendable {
        /// It shares a post with no other content.
        case alone(Apart)
        /// It shares with others of this key.
        case group(Packer.Key)

        /// Why two contents are not in one group; nil: they are in one.
        func apart(from other: Packing) -> Apart? {
            switch (self, other) {
            case (.alone(let mine), .alone(let theirs)): min(mine, theirs)
            case (.alone(let apart), .group), (.group, .alone(let apart)): apart
            case (.group(let mine), .group(let theirs)): mine.apart(from: theirs)
            }
        }
    }
}
