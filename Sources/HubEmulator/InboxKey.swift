/// Whose pushes one inbox shows.
struct InboxKey: Hashable, Sendable {
    enum Owner: Hashable, Sendable {
        /// An installation, by its id.
        case device(String)
        /// What a direct send named, registered or not.
        case handle(String)
    }

    let hub: String
    let owner: Owner

    static func device(_ id: String, hub: String) -> InboxKey { InboxKey(hub: hub, owner: .device(id)) }
    static func handle(_ text: String, hub: String) -> InboxKey { InboxKey(hub: hub, owner: .handle(text)) }
}
