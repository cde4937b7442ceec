import PushModel

/// A target of a send: a device in its platform's own format, or one of its templates.
struct PushTarget: Sendable {
    let device: Device
    /// Of the part, to save memory: a broadcast to a million devices has a million targets.
    let index: Int

    var part: SharedParts.Part { device.parts.all[index] }
    /// The installation's id, or the registration's.
    var deviceID: String { device.id }
    var platform: Installation.Platform { device.platform }
    var channel: String { device.channel(of: part) }
    /// nil: the device itself, in its platform's own format.
    var template: SharedTemplate? { part.template }
    var templateName: String? { part.name }
    /// The device's push variables.
    var variables: [String: String] { device.variables }
    /// The id in the list of registrations.
    var registration: String { device.registration(of: part).id }
}

/// A template value with an expression that is not evaluated, because the value does not begin with it.
struct MixedText: Sendable {
    let template: String
    let value: Template.Mixed
}
