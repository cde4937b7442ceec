/// Searches all reachable states, breadth first: finds the shortest way to a state that breaks a promise.
struct ProtocolSearch {
    private(set) var states = 0
    private(set) var steps = 0
    /// The broken promise and the steps that lead there; nil: none.
    private(set) var broken: (promise: String, way: [String])?

    init(_ model: ProtocolModel) {
        let start = ProtocolState()
        var known: [ProtocolState: Int] = [start: 0]
        var queue = [start]
        var origins: [(from: Int, name: String)] = [(0, "")]
        func way(to last: Int) -> [String] {
            var names: [String] = []
            var index = last
            while index != 0 {
                names.append(origins[index].name)
                index = origins[index].from
            }
            return names.reversed()
        }
        var next = 0
        while next < queue.count {
            let state = queue[next]
            let following = model.steps(from: state)
            if following.isEmpty, !state.live.isEmpty {
                broken = ("a claim stands and no step is possible", way(to: next))
                break
            }
            for step in following {
                steps += 1
                if let promise = step.broken ?? Self.promiseBroken(in: step.state, by: model) {
                    broken = (promise, way(to: next) + [step.name])
                    break
                }
                guard known[step.state] == nil else { continue }
                known[step.state] = queue.count
                queue.append(step.state)
                origins.append((next, step.name))
            }
            if broken != nil { break }
            next += 1
        }
        states = queue.count
    }

    /// docs/storage.md, "Invariant".
    private static func promiseBroken(in state: ProtocolState, by model: ProtocolModel) -> String? {
        let held = state.live.members.count { !state.left.contains($0) }
        let places = (state.isDue ? 1 : 0) + held + (state.newest.isFinal ? 1 : 0)
        if places != 1 { return "the message is in \(places) places" }
        if state.sent.count > 1 + state.resends { return "the message was sent twice and no person asked for that" }
        if case .doubt(let post) = state.newest, !state.posts.contains(post) { return "a doubt without a post" }
        return nil
    }
}
