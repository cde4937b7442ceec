/// Identifies an inbox.
struct InboxKey: Hashable, Sendable {
    enum Owner: Hashable, Sendable {
        /// An installation or registration, by its id.
        case device(String)
        /// The handle of a direct send, registered or not.
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
