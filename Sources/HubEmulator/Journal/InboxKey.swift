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

    /// The device's id, or the handle.
    var name: String {
        switch owner {
        case .device(let id): id
        case .handle(let handle): handle
        }
    }

    static func device(_ id: String, hub: String) -> InboxKey { InboxKey(hub: hub, owner: .device(id)) }
    static func handle(_ text: String, hub: String) -> InboxKey { InboxKey(hub: hub, owner: .handle(text)) }
}
