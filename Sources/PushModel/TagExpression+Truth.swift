extension TagExpression {
    /// Whether any device could be meant at all; `a && !a` means none.
    public var canMatch: Bool { onlyOr || outcomes(where: true) }

    /// Whether every device is meant, whatever its tags; `a || !a` is a broadcast.
    public var alwaysMatches: Bool { !onlyOr && !outcomes(where: false) }

    /// The tags written in it, each once, in order. Tags compare without case.
    public var tags: [Tag] {
        var seen: Set<Tag> = []
        return root.tags.filter { seen.insert($0).inserted }
    }

    /// Whether some set of tags comes out like this. With `&&` or `!` there are at most 6 tags, and so 64 sets.
    private func outcomes(where wanted: Bool) -> Bool {
        let tags = tags.map(\.folded)
        // All of them, or none: what answers an expression without `!` comes first.
        let sets = 0..<1 << tags.count
        let order = wanted ? Array(sets.reversed()) : Array(sets)
        return order.contains { chosen in
            let held = Set(tags.indices.filter { chosen >> $0 & 1 == 1 }.map { tags[$0] })
            return matches(folded: held) == wanted
        }
    }
}

extension TagExpression.Node {
    fileprivate var tags: [Tag] {
        switch self {
        case .tag(let tag): [tag]
        case .not(let node): node.tags
        case .and(let nodes), .or(let nodes): nodes.flatMap(\.tags)
        }
    }
}
