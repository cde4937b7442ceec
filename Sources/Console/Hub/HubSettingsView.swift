import Store

/// The registered settings of a hub, and which workers have others.
struct HubSettingsView {
    struct Setting {
        let settingName: String
        let settingValue: String?
    }

    let registered: [Setting]
    let hasRegistered: Bool
    /// Names of workers; nil: all work with these.
    let registeredDiffer: String?

    init(_ settings: [RegisteredSetting], differing: String?) {
        registered = settings.map { Setting(settingName: $0.name, settingValue: $0.value) }
        hasRegistered = !settings.isEmpty
        registeredDiffer = differing
    }
}
