import PushModel

/// The parts and templates of one hub's devices, each kept once.
struct SharedPartsCache: Sendable {
    private var byInstallation: [SharedParts.Key: SharedParts] = [:]
    private var templates: [SharedTemplate.Source: SharedTemplate] = [:]

    /// Most templates, and most sets of them, that are kept. At the limit the cache is emptied; devices keep theirs.
    static let limit = 4_096

    /// - Throws: `EmulatorError` when a template is invalid.
    mutating func parts(of installation: Installation) throws(EmulatorError) -> SharedParts {
        let key = SharedParts.Key(
            platform: installation.platform, templates: installation.templates, tiles: installation.secondaryTiles)
        if let known = byInstallation[key] { return known }
        let all = try SharedParts.parts(of: installation) { template, name throws(EmulatorError) in
            try compile(template, named: name, for: installation.platform)
        }
        let parts = SharedParts(all, templates: installation.templates)
        if byInstallation.count >= Self.limit { byInstallation = [:] }
        byInstallation[key] = parts
        return parts
    }

    /// The one part of a registration made on its own; its template's name is not among its tags.
    ///
    /// - Throws: `EmulatorError` when its template is invalid.
    mutating func parts(of registration: Registration) throws(EmulatorError) -> SharedParts {
        let template = try registration.template.map { template throws(EmulatorError) in
            try compile(template, named: registration.templateName ?? "", for: registration.platform)
        }
        let part = SharedParts.Part(
            key: nil, name: registration.templateName, template: template, tile: nil, tags: [])
        return SharedParts([part], templates: nil)
    }

    private mutating func compile(
        _ template: Installation.Template, named name: String, for platform: Installation.Platform
    ) throws(EmulatorError) -> SharedTemplate {
        let source = SharedTemplate.Source(template, on: platform)
        if let known = templates[source] { return known }
        do {
            let shared = try SharedTemplate(source)
            if templates.count >= Self.limit { templates = [:] }
            templates[source] = shared
            return shared
        } catch {
            throw EmulatorError("The template \(name) is not valid: \(error).")
        }
    }
}
