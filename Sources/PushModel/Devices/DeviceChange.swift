/// One change of a device that a backend asked for and that has no final result yet: a row of
/// `push.installation_change`.
public struct DeviceChange: Sendable, Equatable {
    public enum Action: String, Sendable, CaseIterable {
        case put, patch, drop
    }

    /// Changes of one device are applied in the order of their ids.
    public let id: Int64
    public let action: Action
    /// The arguments of the call as JSON; nil: a later put or drop makes this change needless.
    public let document: String?
    /// Attempts already made while changes of other devices succeeded.
    public let attempt: Int16

    public init(id: Int64, action: Action, document: String?, attempt: Int16 = 0) {
        self.id = id
        self.action = action
        self.document = document
        self.attempt = attempt
    }
}

/// Why a document of `push.installation_change` cannot be applied. Only a hand-written row can cause it, because
/// `push.put_device` and `push.patch_device` check what they write.
public struct InvalidDeviceDocument: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
