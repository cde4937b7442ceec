/// Searches all reachable states, breadth first: finds the shortest way to a state that breaks a promise.
struct ProtocolSearch {
    private(set) var states = 0
    private(set) var steps = 0
    /// The broken promise and the steps that lead there; nil: none.
    private(set) var broken: (promise: String, way: [String])?

    /// - Parameter ignoring: goes on after a step that broke a promise with these words.
    init(_ model: ProtocolModel, ignoring: String? = nil) async {
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
            if next.isMultiple(of: 256) { await Task.yield() }  // other tests need the thread, too
            let state = queue[next]
            let following = model.steps(from: state)
            if following.isEmpty, !state.tables.live.isEmpty {
                broken = ("a claim stands and no step is possible", way(to: next))
                break
            }
            for step in following {
                steps += 1
                if let promise = step.broken ?? Self.promiseBroken(in: step.state, by: model) {
                    if let ignoring, promise.contains(ignoring) { continue }
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
        let tables = state.tables
        let held = tables.live.members.count { !tables.left.contains($0) }
        let places = (tables.isDue ? 1 : 0) + held + (tables.newest.isFinal ? 1 : 0)
        if places != 1 { return "the message is in \(places) places" }
        if state.sentOnRecord > 1 + state.resends { return "the message was sent twice and no person asked for that" }
        if tables.acceptances > 1 { return "the message was recorded as accepted twice" }
        if case .doubt(let post) = tables.newest {
            if !tables.posts.contains(post) { return "a doubt without a post" }
            if tables.refused.contains(post) { return "a doubt although the answer says that nothing was sent" }
        }
        return nil
    }
}
