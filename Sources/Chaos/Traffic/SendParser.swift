/// Which messages each send carried, read off its tags and its body.
///
/// Markers stand in contents between two `#`. A send whose body was never read is identified by its tags alone, and may then
/// have carried any of the translations that have that tag.
struct SendParser {
    /// By message: the sends that carried it.
    private(set) var arrivals: [Int64: [Facts.Arrival]] = [:]
    /// By message: how many sends certainly carried it.
    private(set) var certain: [Int64: Int] = [:]
    /// Sends that carried nothing we know of.
    private(set) var strange: [Facts.Arrival] = []

    init(_ facts: Facts) {
        var tagged: [Substring: [Facts.Message]] = [:]
        var marked: [String: [Facts.Message]] = [:]
        // What somebody deleted may have been sent before.
        let present = Set(facts.messages.map(\.id))
        let deleted = facts.deleted.filter { !present.contains($0.id) }
            .map { Facts.Message(id: $0.id, tag: $0.tag, marker: $0.marker, status: "") }
        for message in facts.messages + deleted {
            if let first = message.tag.flatMap({ Self.tokens($0).first }) { tagged[first, default: []].append(message) }
            marked[message.marker, default: []].append(message)
        }
        for arrival in facts.arrivals {
            let tokens = Set(Self.tokens(arrival.tags ?? ""))
            let candidates =
                arrival.tags == nil
                ? arrival.markers.flatMap { marked[$0] ?? [] } : tokens.flatMap { tagged[$0] ?? [] }
            let carried = candidates.filter { message in
                guard arrival.markers.isEmpty || arrival.markers.contains(message.marker) else { return false }
                return message.tag.map { tokens.isSuperset(of: Self.tokens($0)) } ?? (arrival.tags == nil)
            }
            if carried.isEmpty { strange.append(arrival) }
            let isCertain = !arrival.markers.isEmpty || carried.count == 1
            for message in carried {
                arrivals[message.id, default: []].append(arrival)
                if isCertain { certain[message.id, default: 0] += 1 }
            }
        }
    }

    static func tokens(_ tags: String) -> [Substring] { tags.split { " ()!&|".contains($0) } }

    /// The markers in a body: every second piece between `#`.
    static func markers(in body: String?) -> Set<String> {
        guard let body else { return [] }
        let pieces = body.split(separator: "#", omittingEmptySubsequences: false)
        return Set(pieces.indices.filter { $0 % 2 == 1 }.map { String(pieces[$0]) })
    }
}
