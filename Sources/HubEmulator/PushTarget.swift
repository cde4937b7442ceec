import PushModel

/// One thing a send can reach: a device in its own format, or one template of it.
struct PushTarget: Sendable {
    let device: String
    let platform: Installation.Platform
    let channel: String
    /// nil: the device itself, for sends in its platform's format.
    let template: SharedTemplate?
    let templateName: String?
    /// The device's push variables.
    var variables: [String: String] = [:]
    /// The template's own headers say `apns-push-type: voip`.
    var isVoIP = false
    /// In lower case, as tags are compared.
    let tags: Set<String>
}

/// A template ready to render. Thousands of devices register the same few texts: each text exists once, and is
/// rendered once for every send.
final class SharedTemplate: Sendable {
    let template: Template

    init(_ template: Template) { self.template = template }
}
