/// One thing the service lists among a hub's registrations: a device, or one template of it. Made from the
/// installation; nothing is registered here on its own.
struct Registration: Sendable {
    let installation: Installation
    /// nil: the device itself.
    let template: String?
    /// 1, and one more each time the installation is put or patched.
    let version: Int

    var id: RegistrationID { RegistrationID(device: installation.installationId, template: template) }
    var mark: RegistrationMark { RegistrationMark(device: installation.installationId, template: template) }
    func hasTag(_ tag: String) -> Bool {
        installation.derivedTags(template: template).contains { $0.lowercased() == tag.lowercased() }
    }

    var etag: String { "W/\"\(version)\"" }

    /// The device and its templates, in the order in which they are listed.
    static func all(of installation: Installation, version: Int) -> [Registration] {
        let names = (installation.templates ?? [:]).keys.sorted()
        return ([nil] + names).map { Registration(installation: installation, template: $0, version: version) }
    }
}

/// How far a list of registrations was read.
struct RegistrationMark: Sendable, Comparable {
    let device: String
    let template: String?

    static func < (a: RegistrationMark, b: RegistrationMark) -> Bool {
        if a.device != b.device { return a.device < b.device }
        guard let mine = a.template, let other = b.template else { return a.template == nil && b.template != nil }
        return mine < other
    }
}
