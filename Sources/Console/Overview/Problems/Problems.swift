/// What is wrong, by what was read. Pure: each kind has its rules in a file of its own.
enum Problems {
    /// More of one kind are one line, so that 300 hubs without a worker do not hide the worker that cannot write.
    static let shownOfAKind = 8

    /// - Parameters:
    ///   - person: who looks: what one made oneself waits for somebody else's approval.
    ///   - now: seconds since 1970.
    /// - Returns: the worst first, then those of one kind together, the oldest first.
    static func of(_ rows: OverviewRows, for person: String, now: Double) -> [Problem] {
        let all =
            ReadingProblems.of(rows) + WorkerProblems.of(rows, now: now) + HubStateProblems.of(rows)
            + HubServiceProblems.of(rows) + WaitProblems.of(rows) + FailureProblems.of(rows)
            + CredentialProblems.of(rows, now: now) + RunProblems.of(rows) + ScheduleProblems.of(rows)
            + ApprovalProblems.of(rows, for: person) + DatabaseProblems.of(rows, now: now)
        let order = Dictionary(uniqueKeysWithValues: zip(Problem.Kind.allCases, Problem.Kind.allCases.indices))
        return all.sorted { one, other in
            if one.severity != other.severity { return one.severity < other.severity }
            if one.kind != other.kind { return order[one.kind, default: 0] < order[other.kind, default: 0] }
            let (began, otherBegan) = (one.since ?? .infinity, other.since ?? .infinity)
            return began == otherBegan ? one.what < other.what : began < otherBegan
        }
    }

    /// - Returns: at most `shownOfAKind` of each kind and severity, and for the rest of a kind one that counts and names them.
    static func folded(_ problems: [Problem]) -> [Problem] {
        var shown: [Problem] = []
        var index = problems.startIndex
        while index < problems.endIndex {
            let first = problems[index]
            let group = problems[index...].prefix { $0.kind == first.kind && $0.severity == first.severity }
            shown += group.prefix(shownOfAKind)
            let rest = group.dropFirst(shownOfAKind)
            if !rest.isEmpty {
                shown.append(
                    Problem(
                        kind: first.kind, severity: first.severity, since: rest.compactMap(\.since).min(),
                        what: first.kind.more(rest.count), why: Self.names(rest.map { $0.hub ?? $0.what }),
                        todo: first.hub == nil
                            ? "As above." : "As above, for each of them. The list of hubs has them first.",
                        link: first.hub == nil ? nil : .init(path: [], fields: ["all": "1"], name: "All hubs")))
            }
            index = group.endIndex
        }
        return shown
    }

    private static func names(_ names: [String]) -> String {
        names.prefix(10).joined(separator: ", ") + (names.count > 10 ? ", …" : "")
    }
}
