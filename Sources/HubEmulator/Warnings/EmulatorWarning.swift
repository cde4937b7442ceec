/// Something that the service accepts silently, but that the sender most likely did not intend.
public struct EmulatorWarning: Sendable, Equatable, Codable {
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// No tags header, or an expression that every device matches: every device of the hub gets it.
        case broadcast
        /// An empty tags header: the service takes the send, but no device gets it.
        case emptyTags
        /// A header named `Tags`, which the service ignores: without the right header the send is a broadcast.
        case tagsHeader
        /// A `ServiceBusNotification-` header that no official client sends.
        case unknownHeader
        /// A notification without a `Content-Type`, or with one that is unusual for its format.
        case contentType
        /// A Windows notification or template without `X-WNS-Type`, or with an unknown one.
        case wnsType
        /// No `api-version` in the query.
        case missingVersion
        /// An `api-version` that no page of the service mentions.
        case unknownVersion
        /// A send scheduled less than five minutes ahead, or for a time in the past.
        case scheduleTooSoon
        /// `ServiceBusNotification-ScheduleTime` on a send to another address: it is delivered at once.
        case scheduleTimeIgnored
        /// A tag that no device of the hub has.
        case unknownTag
        /// A tag expression that no device can match: `a && !a`.
        case impossibleTags
        /// A tag named `and`, `or` or `not`.
        case wordTag
        /// The hub has no devices.
        case noDevices
        /// A device or registration that matches a send but has expired: it gets nothing.
        case expired
        /// A template produced an empty alert, mostly because the send lacks its language.
        case emptyAlert
        /// A property that the template uses and the message lacks.
        case missingProperty
        /// A property of the message that no reached template uses, with a name similar to one they do use; or the
        /// templates use none of the message's properties.
        case unusedProperty
        /// A property whose name stands twice in the message; case does not count.
        case repeatedProperty
        /// A template value that contains an expression but does not begin with it, and so is not evaluated.
        case mixedText
        /// A payload that the platform refuses or cannot show: no `aps`, no `message`, another root element.
        case payloadShape
        /// A device with more tags than the documented limit.
        case tooManyTags
        /// A topic that no phone of the FCM sender has.
        case unknownTopic
        /// A condition with `&&` and `||` beside each other and no parentheses.
        case mixedCondition
        /// A message to topics of more than 2,048 bytes, the smaller one of two limits on Google's pages.
        case largeForTopics
        /// `notification` beside `data`: Android does not call the app in the background.
        case dataBesideNotification
        /// A localisation key without a text in the phone's language.
        case unknownKey
        /// A text with more places than the message has arguments.
        case missingArgument
        /// A category that no Apple phone knows: it shows no buttons.
        case unknownCategory
        /// A finished payload over the platform's limit: the platform service drops it, and no device shows it.
        case tooLargeForPlatform
    }

    public var kind: Kind
    public var hub: String
    /// The header, tag, template ... that it is about. Empty when the kind is enough.
    public var subject: String
    public var text: String
    /// How often it happened.
    public var count: Int
}
