import HTTPTypes

/// The requests of APNs, by their paths.
struct APNsOperation: Sendable, Equatable {
    /// As in the path; nil: the path ends before it.
    let handle: String?
    /// `/3/device/{handle}`.
    let isSend: Bool

    /// A hub cannot have this name beside a sender.
    static let reservedName = "3"

    /// Bytes of a request that are read: far more than APNs takes, whose own rule refuses it.
    static let bodyLimit = 65_536

    /// nil: the path is not APNs'. The method is not looked at.
    init?(_ request: EmulatorRequest) {
        let path = request.segments
        guard path.first == Self.reservedName else { return nil }
        isSend = path.dropFirst().first == "device" && path.count <= 3
        handle = isSend && path.count == 3 ? path[2] : nil
    }
}
