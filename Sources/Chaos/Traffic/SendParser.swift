/// Which messages each send carried, read off its tags and its body.
///
/// Markers stand in contents between two `#`. A send whose body was never read is identified by its tags alone, and may then
/// have carried any of the translations that have that tag. A send to FCM has all of that in its body; what the journal
/// shows as its tags is its topic or its condition. A send to APNs says by its id which post it is.
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
            .map { Facts.Message(id: $0.id, hub: $0.hub, tag: $0.tag, marker: $0.marker, status: "") }
        for message in facts.messages + deleted {
            if let first = message.tag.flatMap({ Self.tokens($0).first }) { tagged[first, default: []].append(message) }
            marked[message.marker, default: []].append(message)
        }
        let numbered = Dictionary((facts.messages + deleted).map { ($0.id, $0) }) { first, _ in first }
        let posts = Dictionary(facts.posts.map { ($0.id, $0.messages) }) { first, _ in first }
        for arrival in facts.arrivals {
            let tokens = Set(Self.tokens(arrival.tags ?? ""))
            let candidates: [Facts.Message] =
                if let post = arrival.post.flatMap({ posts[$0] }) {
                    post.compactMap { numbered[$0] }
                } else if arrival.tags == nil {
                    arrival.markers.flatMap { marked[$0] ?? [] }
                } else {
                    tokens.flatMap { tagged[$0] ?? [] }
                }
            let carried = candidates.filter { message in
                guard message.hub == arrival.hub else { return false }
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

    /// The tags of an expression, or the topics of a condition, which stand in quotes.
    static func tokens(_ tags: String) -> [Substring] {
        tags.contains("'") ? enclosed(in: tags, by: "'") : tags.split { " ()!&|".contains($0) }
    }

    static func markers(in body: String?) -> Set<String> { Set(enclosed(in: body ?? "", by: "#").map(String.init)) }

    /// Every second piece.
    private static func enclosed(in text: String, by mark: Character) -> [Substring] {
        let pieces = text.split(separator: mark, omittingEmptySubsequences: false)
        return pieces.indices.filter { $0 % 2 == 1 }.map { pieces[$0] }
    }
}
