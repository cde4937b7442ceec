extension Registration {
    /// An entry in the list of registrations for one part of an installation.
    init(_ part: SharedParts.Part, of installation: Installation, version: Int) {
        let tile = part.tile.flatMap { installation.secondaryTiles?[$0] }
        let templates = tile == nil ? installation.templates : tile?.templates
        id = RegistrationID(device: installation.installationId, template: part.key).text
        self.version = version
        platform = installation.platform
        channel = tile.map { .handle($0.pushChannel) } ?? installation.pushChannel
        expirationTime = installation.expirationTime
        pushVariables = installation.pushVariables
        template = part.name.flatMap { templates?[$0] }
        templateName = part.name
        self.tile = part.tile
        var all = ["$InstallationId:{\(installation.installationId)}"]
        if let user = installation.userId, !user.isEmpty { all.append("$UserId:{\(user)}") }
        all += (tile == nil ? installation.tags : tile?.tags) ?? []
        if let name = part.name { all += template?.tags ?? [name] }
        var seen: Set<String> = []
        tags = all.filter { seen.insert($0.lowercased()).inserted }
    }
}

extension Installation {
    /// A registration made on its own, in the form of an installation for the page.
    init(_ registration: Registration) {
        self.init(
            registration.id, platform: registration.platform, pushChannel: registration.channel, tags: registration.tags
        )
        templates = registration.template.map { [registration.templateName ?? "template": $0] }
    }
}
