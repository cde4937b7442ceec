extension TagExpression {
    /// Whether any device could match; `a && !a` matches none.
    public var canMatch: Bool { !root.negates || outcomes(where: true) }

    /// Whether every device matches, with any tags; `a || !a` is a broadcast.
    public var alwaysMatches: Bool { root.negates && !outcomes(where: false) }

    /// The tags in it, each once, in order. Comparison ignores case.
    public var tags: [Tag] {
        var found: [Tag] = []
        root.forEachTag { if !found.contains($0) { found.append($0) } }
        return found
    }

    /// Whether some set of tags evaluates to `wanted`. With a `!` there are at most 6 tags, and so 64 sets.
    private func outcomes(where wanted: Bool) -> Bool {
        let tags = tags.map(\.folded)
        return (0..<1 << tags.count).contains { chosen in
            let held = Set(tags.indices.filter { chosen >> $0 & 1 == 1 }.map { tags[$0] })
            return matches(folded: held) == wanted
        }
    }
}

extension TagExpression.Node {
    /// Without a `!`, a device without tags never matches, and a device with all of them always does.
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
