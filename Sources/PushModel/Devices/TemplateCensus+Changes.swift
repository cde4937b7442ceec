/// Which templates devices have, from what changed of them. Pure.
extension TemplateCensus {
    /// A row of `push.installation_change`, whether it was applied or not.
    public struct Change: Sendable, Equatable {
        public let id: Int64
        /// `push.hub.id`
        public let hub: Int32
        public let device: String
        public let action: DeviceChange.Action
        /// The arguments of the call as JSON.
        public let document: String
        /// When the call was made, in seconds since 1970.
        public let at: Double

        public init(
            id: Int64, hub: Int32, device: String, action: DeviceChange.Action, document: String, at: Double
        ) {
            (self.id, self.hub, self.device) = (id, hub, device)
            (self.action, self.document, self.at) = (action, document, at)
        }
    }

    private struct Device: Hashable {
        let hub: Int32
        let name: String
    }

    private struct State {
        let platform: String
        /// By the bytes of the name: to Swift `é` equals `e` with U+0301. Without those that cannot be read, which only a row
        /// written by hand can have.
        var templates: [[UInt8]: PlatformTemplate]
        var at: Double

        /// A template that cannot be read is none: the hub has refused it, or will.
        mutating func set(_ json: String?, named name: String) {
            templates[Array(name.utf8)] = json.flatMap {
                try? PlatformTemplate(platform: platform, name: name, json: $0)
            }
        }
    }

    /// Counts each device once, as its changes leave it. A device of which there is no put, or a drop behind it, is not
    /// counted: what it has is not known.
    ///
    /// - Parameter changes: of any hubs, in the order of their ids.
    /// - Returns: by hub.
    public static func counting(_ changes: [Change]) -> [Int32: TemplateCensus] {
        var states: [Device: State] = [:]
        for change in changes {
            let device = Device(hub: change.hub, name: change.device)
            switch change.action {
            case .put: states[device] = state(after: change)
            case .drop: states[device] = nil
            case .patch:
                // push.patch_device has checked it; one of a newer build is passed over.
                guard var state = states[device], let patch = try? DevicePatch(json: change.document) else { continue }
                for template in patch.templates { state.set(template.json, named: template.name) }
                state.at = max(state.at, change.at)
                states[device] = state
            }
        }
        var censuses: [Int32: TemplateCensus] = [:]
        for (device, state) in states {
            censuses[device.hub, default: TemplateCensus()].add(Array(state.templates.values), at: state.at)
        }
        return censuses
    }

    /// nil: the document cannot be read.
    private static func state(after change: Change) -> State? {
        guard let put = try? DeviceRegistration(json: change.document),
            let platform = PlatformTemplate.platform(named: put.platform)
        else { return nil }
        var state = State(platform: platform, templates: [:], at: change.at)
        for template in put.templates { state.set(template.json, named: template.name) }
        return state
    }
}
