extension WarningLog {
    /// What is odd about a device when it is registered.
    func check(_ installation: Installation, _ mixed: [MixedText], at hub: String) {
        let tags = installation.tags?.count ?? 0
        if tags > Self.tagLimit {
            add(
                .tooManyTags, hub: hub, subject: String(installation.installationId.prefix(120)),
                "the device \(installation.installationId) has \(tags) tags; \(Self.tagLimit) are documented, and the "
                    + "service may refuse more")
        }
        for text in mixed {
            let path = text.value.path
            add(
                .mixedText, hub: hub, subject: "\(text.template) \(path)",
                "the template \(text.template) shows \(path) as it is written, \"\(text.value.text.prefix(80))\": a value "
                    + "is an expression only when it begins with one; write {'text ' + $(name)}")
        }
    }

    /// Tags a device may have (notification-hubs.md section 5).
    private static let tagLimit = 60
}
