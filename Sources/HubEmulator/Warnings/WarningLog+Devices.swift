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
        case .handles:
            break
        }
    }

    private func checkExpression(_ expression: TagExpression, at hub: Hub) {
        for tag in expression.tags where Self.operatorWords.contains(tag.folded) {
            add(
                .wordTag, hub: hub.name, subject: tag.folded,
                "\(tag) is a tag here and no operator; the operators are && || !")
        }
        if !expression.canMatch {
            add(
                .impossibleTags, hub: hub.name, subject: expression.description,
                "no device can match \(expression): it asks for a tag and for its absence; the send is taken and "
                    + "nobody gets it")
        } else if expression.alwaysMatches {
            add(
                .broadcast, hub: hub.name, subject: expression.description,
                "every device matches \(expression), whatever its tags: this is a broadcast")
        }
    }

    private static let operatorWords: Set<String> = ["and", "or", "not"]

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
            let path = text.value.path
            add(
                .mixedText, hub: hub, subject: "\(text.template) \(path)",
                "the template \(text.template) shows \(path) as it is written, \"\(text.value.text.prefix(80))\": a value "
                    + "is an expression only when it begins with one; write {'text ' + $(name)}")
        }
    }

    /// Tags that a device may have (docs/wire/notification-hubs.md, "Limits and tiers").
    private static let tagLimit = 60
}
