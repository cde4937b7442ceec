import PushModel

/// One thing a send can reach: a device in its own format, or one template of it.
struct PushTarget: Sendable {
    let resident: Device
    /// Which of its parts: a broadcast to a million has a million of these.
    let index: Int

    var part: SharedParts.Part { resident.parts.all[index] }
    /// The installation's id, or the registration's.
    var device: String { resident.id }
    var platform: Installation.Platform { resident.platform }
    var channel: String { resident.channel(of: part) }
    /// nil: the device itself, for sends in its platform's format.
    var template: SharedTemplate? { part.template }
    var templateName: String? { part.name }
    /// The device's push variables.
    var variables: [String: String] { resident.variables }
    /// Under which the service lists it.
    var registration: String { resident.registration(of: part).id }
}

/// A value of a template that stays as it is although an expression stands in it.
struct MixedText: Sendable {
    let template: String
    let value: Template.Mixed
}
