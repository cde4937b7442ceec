import PushModel

extension WarningLog {
    /// What is odd about whom a send is for.
    func checkAudience(_ audience: Audience, at hub: Hub, found: Hub.Found) {
        switch audience {
        case .everybody:
            add(
                .broadcast, hub: hub.name,
                "a send without ServiceBusNotification-Tags goes to every device of the hub; add the header unless "
                    + "that is meant")
        case .nobody:
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
        for tag in expression.tags where Self.words.contains(tag.folded) {
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

    private static let words: Set<String> = ["and", "or", "not"]

    private static func unknownTag(_ tag: String, at hub: Hub) -> String {
        let near = hub.tagNear(tag).map { "; did you mean \($0)?" } ?? ": the send is taken and reaches nobody by it"
        return "no device has the tag \(tag)\(near)"
    }
}
