/// What has to be sent for all that waits for one device. Pure.
///
/// The newest put or drop makes everything before it needless. The patches behind it are joined into one. So a device
/// needs at most two requests, however many changes wait.
public struct DeviceSteps: Sendable, Equatable {
    /// One request.
    public struct Step: Sendable, Equatable {
        /// The changes that it applies, in order.
        public let ids: [Int64]
        public let content: Content
        /// The most attempts that any of its changes had.
        public let attempt: Int16
    }

    public enum Content: Sendable, Equatable {
        case put(DeviceRegistration)
        case patch(DevicePatch)
        case drop

        public var action: DeviceChange.Action {
            switch self {
            case .put: .put
            case .patch: .patch
            case .drop: .drop
            }
        }
    }

    /// A change whose document cannot be read.
    public struct Unreadable: Sendable, Equatable {
        public let id: Int64
        public let why: String
    }

    /// Changes that are not sent, because a later put or drop replaces what they did.
    public private(set) var superseded: [Int64] = []
    /// In the order in which they have to be applied.
    public private(set) var steps: [Step] = []
    public private(set) var unreadable: [Unreadable] = []

    /// - Parameter changes: all of one device, in the order of their ids.
    public init(_ changes: [DeviceChange]) {
        let decisive = changes.lastIndex { $0.action != .patch }
        superseded = changes[..<(decisive ?? 0)].map(\.id)
        if let decisive { begin(with: changes[decisive]) }
        join(changes[(decisive.map { $0 + 1 } ?? 0)...])
    }

    private mutating func begin(with change: DeviceChange) {
        do throws(InvalidDeviceDocument) {
            let content: Content =
                change.action == .drop ? .drop : .put(try DeviceRegistration(json: change.document ?? ""))
            steps.append(Step(ids: [change.id], content: content, attempt: change.attempt))
        } catch {
            unreadable.append(Unreadable(id: change.id, why: error.description))
        }
    }

    private mutating func join(_ patches: ArraySlice<DeviceChange>) {
        var joined: DevicePatch?
        var ids: [Int64] = []
        for change in patches {
            do throws(InvalidDeviceDocument) {
                let patch = try DevicePatch(json: change.document ?? "")
                joined = joined.map { $0.followed(by: patch) } ?? patch
                ids.append(change.id)
            } catch {
                unreadable.append(Unreadable(id: change.id, why: error.description))
            }
        }
        guard let joined else { return }
        steps.append(Step(ids: ids, content: .patch(joined), attempt: patches.map(\.attempt).max() ?? 0))
    }
}
