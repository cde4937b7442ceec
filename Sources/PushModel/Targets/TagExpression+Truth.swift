extension TagExpression {
    /// Whether any device could be meant at all; `a && !a` means none.
    public var canMatch: Bool { !root.negates || outcomes(where: true) }

    /// Whether every device is meant, whatever its tags; `a || !a` is a broadcast.
    public var alwaysMatches: Bool { root.negates && !outcomes(where: false) }

    /// The tags written in it, each once, in order. Tags compare without case.
    public var tags: [Tag] {
        var found: [Tag] = []
        root.forEachTag { if !found.contains($0) { found.append($0) } }
        return found
    }

    /// Whether some set of tags comes out like this. With a `!` there are at most 6 tags, and so 64 sets.
    private func outcomes(where wanted: Bool) -> Bool {
        let tags = tags.map(\.folded)
        return (0..<1 << tags.count).contains { chosen in
            let held = Set(tags.indices.filter { chosen >> $0 & 1 == 1 }.map { tags[$0] })
            return matches(folded: held) == wanted
        }
    }
}

extension TagExpression.Node {
    /// Without a `!` nobody who has no tag is meant, and everybody who has all of them.
    fileprivate var negates: Bool {
        switch self {
        case .tag: false
        case .not: true
        case .and(let nodes), .or(let nodes): nodes.contains(where: \.negates)
        }
    }

    fileprivate func forEachTag(_ body: (Tag) -> Void) {
        switch self {
        case .tag(let tag): body(tag)
        case .not(let node): node.forEachTag(body)
        case .and(let nodes), .or(let nodes): for node in nodes { node.forEachTag(body) }
        }
    }
}
