import Testing

@testable import PushModel

/// What holds for every plan, over 10,000 random tables.
@Suite struct PlanPropertyTests {
    private static let seeds: UInt64 = 1_000

    /// One test for all promises: most of its time goes into making rows and plans.
    @Test(arguments: 0..<UInt64(10))
    func everyPlanKeepsItsPromises(batch: UInt64) throws {
        for seed in batch * Self.seeds..<(batch + 1) * Self.seeds {
            let random = RandomPlan(seed: seed)
            random.everyRowIsInOnePostOrHasAReason()
            random.notesChangeNothingAndAddUp()
            try random.eachDeviceGetsJustWhatTheRowsAskFor()
            random.aPackedContentIsWhatItIsAlone()
            random.whatKeepsTwoRowsApartAgreesWithThePosts()
        }
    }

    /// The rows must show what the test above is about.
    @Test func randomRowsShowEveryReason() {
        var seen: Set<Apart> = []
        var (packed, refused, localised) = (0, 0, 0)
        for seed in 0..<Self.seeds {
            let random = RandomPlan(seed: seed)
            seen.formUnion(random.notes.apart)
            packed += random.plan.posts.count { $0.isPacked }
            refused += random.plan.refusals.count
            localised += random.notes.contents.count { $0.rows.count > 1 }
        }
        #expect(seen == Set(Apart.allCases))
        #expect(packed > 300 && refused > 500 && localised > 300, "\(packed), \(refused), \(localised)")
    }
}

/// Random rows, their plan and its notes.
private struct RandomPlan {
    let seed: UInt64
    let rows: RandomRows
    let plan: Plan
    let notes = PlanNotes()

    init(seed: UInt64) {
        self.seed = seed
        rows = RandomRows(seed: seed)
        plan = rows.plan(notes: notes)
    }

    func everyRowIsInOnePostOrHasAReason() {
        let placed = plan.posts.flatMap(\.messages) + plan.refusals.map(\.message)
        #expect(placed.sorted() == rows.messages.map(\.id).sorted(), "seed \(seed)")
    }

    func notesChangeNothingAndAddUp() {
        #expect(rows.plan() == plan, "seed \(seed)")
        var tally = PlanTally(of: rows.hub)
        tally.add(plan, notes, of: rows.messages, priority: .normal)
        #expect(tally.posts == plan.posts.count && tally.rows == rows.messages.count, "seed \(seed)")
        #expect(tally.refused == plan.refusals.count, "seed \(seed)")
        #expect(tally.refusals.reduce(0) { $0 + $1.rows } == tally.refused, "seed \(seed)")
        #expect(tally.apart.values.reduce(0, +) == tally.posts, "seed \(seed)")
        // Parts of posts, as the packer made them, and contents, as they were noted.
        let noted = plan.posts.indices.map { post in
            notes.contents.filter { $0.post == post }.map { $0.rows.map(\.message) }
        }
        #expect(noted == plan.posts.map { $0.parts.map(\.messages) }, "seed \(seed)")
    }

    /// By evaluators of our own. The one exception is meant: a device that two contents of a post reach by two tags gets one
    /// copy of what they both say.
    func eachDeviceGetsJustWhatTheRowsAskFor() throws {
        for post in plan.posts {
            for device in rows.devices {
                let asking = post.parts.count { asks($0, for: device) }
                let meant = if case .handles = post.target { asking } else { min(asking, 1) }
                let copies = try device.copies(of: post.target)
                #expect(copies == meant, "seed \(seed), \(post.target)")
            }
            // Two messages for one tag or device are two pushes.
            let addresses = post.parts.flatMap { self.addresses(of: $0.target) }
            #expect(Set(addresses).count == addresses.count, "seed \(seed), \(addresses)")
        }
    }

    /// What a content says does not depend on what shares its post.
    func aPackedContentIsWhatItIsAlone() {
        for post in plan.posts where post.isPacked {
            for part in post.parts {
                let alone = rows.plan(of: rows.messages.filter { part.messages.contains($0.id) }).posts
                #expect(alone.map(\.body) == [post.body] && alone.map(\.target) == [part.target], "seed \(seed)")
                #expect(alone.map(\.headers) == [post.headers] && alone[0].format == post.format, "seed \(seed)")
            }
        }
    }

    func whatKeepsTwoRowsApartAgreesWithThePosts() {
        let ids = rows.messages.map(\.id)
        for (a, b) in zip(ids, Array(ids[1...] + ids[..<1])) {
            var why = WhyApart(a, beside: b)
            why.add(plan, notes, hub: "news", priority: .normal)
            let answer = why.answer
            switch (post(of: a), post(of: b), answer) {
            case (let first?, let second?, .samePost(let number)):
                #expect(first == second && number == first + 1, "seed \(seed): \(a), \(b)")
            case (let first?, let second?, .apart(let reason)):
                #expect(first != second && reason == self.reason(a, b), "seed \(seed): \(a), \(b)")
            case (nil, _, .refused), (_, nil, .refused): break
            default: Issue.record("seed \(seed): \(a), \(b): \(String(describing: answer))")
            }
        }
    }
}

extension RandomPlan {
    private func message(_ id: Int64) -> Message? { rows.messages.first { $0.id == id } }
    private func post(of message: Int64) -> Int? { plan.posts.firstIndex { $0.messages.contains(message) } }

    /// Whether a content asks for a device.
    private func asks(_ part: Post.Part, for device: RandomDevice) -> Bool {
        guard let lead = message(part.messages[0]), let ask = rows.asks[lead.id] else { return false }
        guard rows.hub.localization == .tags, let locale = lead.locale, !lead.isDirect else { return ask.means(device) }
        let nearest = rows.hub.languages.keys.first { locale == $0 || locale.hasPrefix($0 + "-") } ?? locale
        return ask.means(device) && device.has("locale_" + nearest)
    }

    /// What must be in a post once.
    private func addresses(of target: Target) -> [String] {
        switch target {
        case .tag(let tag): [rows.hub.kind == .fcm ? tag : tag.lowercased()]
        case .handles(let handles): handles
        case .broadcast: []
        }
    }

    /// What keeps two rows in different posts apart, by the rows themselves.
    private func reason(_ a: Int64, _ b: Int64) -> Apart? {
        let contents = [a, b].compactMap { id in notes.contents.first { $0.rows.map(\.message).contains(id) } }
        let rows = contents.map { $0.rows.compactMap { message($0.message) } }
        let posts = [a, b].compactMap(post).map { plan.posts[$0] }
        let leads = rows.map { $0[0] }
        let isFCM = self.rows.hub.kind == .fcm
        func differ(_ value: ([Message]) -> some Equatable) -> Bool { value(rows[0]) != value(rows[1]) }
        return Apart.allCases.first { reason in
            switch reason {
            case .pack: rows.joined().contains { !$0.pack }
            case .packTags: !self.rows.hub.packTags
            case .broadcast: leads.contains { $0.target == .broadcast }
            case .expression:
                contents.contains { if case .tag(let tag) = $0.target { tag.contains(" ") } else { false } }
            case .oneHandle: leads.contains(where: \.isDirect) && (!self.rows.packsHandles || isFCM)
            case .body: posts[0].body != posts[1].body
            case .headers: posts[0].headers != posts[1].headers
            case .format: posts[0].format != posts[1].format
            case .onDoubt: differ { $0.contains { $0.onDoubt != .resend } }
            case .attempt: differ { $0.map(\.attempt).max() }
            case .direct: differ { $0[0].isDirect }
            case .life:
                isFCM && differ { [$0[0].expiresAt.rounded(.down), Double($0[0].priority.rawValue)] }
            case .repeatedTag: contents[0].layer != contents[1].layer
            case .full: true
            }
        }
    }
}
