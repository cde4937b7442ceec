import PushModel

// What is known of devices after a run.
extension Facts {
    public struct DeviceName: Sendable, Hashable, CustomStringConvertible {
        public var hub: String
        public var device: String

        public init(hub: String, device: String) {
            self.hub = hub
            self.device = device
        }

        public var description: String { "\(device) of \(hub)" }
    }

    /// What a hub knows of a device.
    public struct Device: Sendable, Hashable {
        public var handle: String
        public var user: String?
        public var tags: Set<String>
        /// Bodies by name.
        public var templates: [String: String]

        public init(handle: String, user: String? = nil, tags: Set<String> = [], templates: [String: String] = [:]) {
            self.handle = handle
            self.user = user
            self.tags = tags
            self.templates = templates
        }
    }

    /// A row of push.installation_change with its final results.
    public struct Change: Sendable, Equatable {
        public var id: Int64
        public var name: DeviceName
        public var action: DeviceChange.Action
        /// nil: it names none.
        public var handle: String?
        public var user: String?
        /// Of a put all of them, of a patch those that it adds.
        public var tags: Set<String>
        public var removed: Set<String>
        /// Bodies by name; nil: the template is removed.
        public var templates: [String: String?]
        /// `applied`, `superseded` or `refused`; one when everything is right.
        public var results: [String]
        /// A pointer or a claim shows that it is not over.
        public var isWaiting: Bool

        public init(
            id: Int64, _ name: DeviceName, _ action: DeviceChange.Action, handle: String? = nil,
            user: String? = nil, tags: Set<String> = [], removed: Set<String> = [],
            templates: [String: String?] = [:], results: [String] = ["applied"], isWaiting: Bool = false
        ) {
            self.id = id
            self.name = name
            self.action = action
            self.handle = handle
            self.user = user
            self.tags = tags
            self.removed = removed
            self.templates = templates
            self.results = results
            self.isWaiting = isWaiting
        }

        /// What it makes of a device. nil: there is no such device, before or afterwards.
        func applied(to device: Device?) -> Device? {
            switch action {
            case .put:
                return Device(
                    handle: handle ?? "", user: user, tags: tags, templates: templates.compactMapValues { $0 })
            case .drop: return nil
            case .patch:
                guard var device else { return nil }
                device.handle = handle ?? device.handle
                device.user = user ?? device.user
                device.tags = device.tags.subtracting(removed).union(tags)
                for (name, body) in templates { device.templates[name] = body }
                return device
            }
        }
    }

    /// A change whose call returned this id.
    public struct AskedChange: Sendable, Equatable {
        public var id: Int64
        public var device: DeviceName
        public var action: DeviceChange.Action
        /// Distinguishes it from a change that got the same id after a fail-over.
        public var handle: String?
        /// Seconds since 1970.
        public var at: Double

        public init(
            id: Int64, device: DeviceName, action: DeviceChange.Action, handle: String? = nil, at: Double = 0
        ) {
            self.id = id
            self.device = device
            self.action = action
            self.handle = handle
            self.at = at
        }

        func isRow(_ change: Change) -> Bool {
            change.id == id && change.name == device && change.action == action && change.handle == handle
        }
    }
}
