import PushModel

extension WarningLog {
    /// Checks the audience of a send.
    func checkAudience(_ audience: Audience, at hub: Hub, found: Hub.Found) {
        switch audience {
        case .allDevices:
            add(
                .broadcast, hub: hub.name,
                "a send without ServiceBusNotification-Tags goes to every device of the hub; add the header unless "
                    + "that is meant")
        case .noDevices:
            add(
                .emptyTags, hub: hub.name,
                "an empty ServiceBusNotification-Tags reaches nobody; leave the header out for everybody, or name a tag"
            )
        case .tagged(let expression):
            checkExpression(expression, at: hub)
            for tag in found.unknownTags {
                add(.unknownTag, hub: hub.name, subject: tag, Self.unknownTag(tag, at: hub))
            }
        case .handles, .topics:
            break
        }
    }

    private func checkExpression(_ expression: TagExpression, at hub: Hub) {
        for remark in expression.remarks {
            switch remark {
            case .word(let tag): add(.wordTag, hub: hub.name, subject: tag.folded, lint: LintFinding(remark))
            case .matchesNobody:
                add(.impossibleTags, hub: hub.name, subject: expression.description, lint: LintFinding(remark))
            case .matchesEverybody:
                add(.broadcast, hub: hub.name, subject: expression.description, lint: LintFinding(remark))
            }
        }
    }

    private static func unknownTag(_ tag: String, at hub: Hub) -> String {
        let near = hub.tagNear(tag).map { "; did you mean \($0)?" } ?? ": the send is taken and reaches nobody by it"
        return "no device has the tag \(tag)\(near)"
    }

    /// Checks a device when it is registered.
    func check(_ installation: Installation, _ mixed: [MixedText], at hub: String) {
        let tags = installation.tags?.count ?? 0
        if tags > Self.tagLimit {
            add(
                .tooManyTags, hub: hub, subject: String(installation.installationId.prefix(120)),
                "the device \(installation.installationId) has \(tags) tags; \(Self.tagLimit) are documented, and the "
                    + "service may refuse more")
        }
        for text in mixed {
            add(
                .mixedText, hub: hub, subject: "\(text.template) \(text.value.path)",
                lint: .mixedText(text.template, text.value))
        }
    }

    /// Tags that a device may have (docs/wire/notification-hubs.md, "Limits and tiers").
    private static let tagLimit = 60
}
