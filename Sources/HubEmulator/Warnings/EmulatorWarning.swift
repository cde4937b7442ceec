/// Something the service would accept in silence and the sender most likely did not mean.
public struct EmulatorWarning: Sendable, Equatable, Codable {
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// No tags header, or an expression every device matches: every device of the hub gets it.
        case broadcast
        /// An empty tags header: the service takes it, and nobody gets it.
        case emptyTags
        /// A header named `Tags`, which the service does not know: without the right one, the send is a broadcast.
        case tagsHeader
        /// A `ServiceBusNotification-` header that no official client sends.
        case unknownHeader
        /// A notification without a `Content-Type`, or with one its format does not come as.
        case contentType
        /// A Windows notification or template without `X-WNS-Type`, or with one Windows does not know.
        case wnsType
        /// No `api-version` in the query.
        case missingVersion
        /// An `api-version` no page of the service knows.
        case unknownVersion
        /// A scheduled send less than five minutes ahead, or for a time that has passed.
        case scheduleTooSoon
        /// `ServiceBusNotification-ScheduleTime` on a send that is not a scheduled one: it goes out at once.
        case scheduleTimeIgnored
        /// A tag no device of the hub has.
        case unknownTag
        /// A tag expression no device can match: `a && !a`.
        case impossibleTags
        /// A tag named `and`, `or` or `not`.
        case wordTag
        /// The hub has no devices at all.
        case noDevices
        /// A device, or a registration, that a send was for and that has expired: it gets nothing.
        case expired
        /// A template whose alert came out empty: mostly a language the send did not carry.
        case emptyAlert
        /// A property the template uses and the message lacks.
        case missingProperty
        /// A property of the message that no template reached by the send uses, and that nearly has the name of one they
        /// wait for; or they use none of the message's at all.
        case unusedProperty
        /// A value of a template in which an expression stands but does not begin it, and so stays as it is.
        case mixedText
        /// A payload the platform refuses or cannot show: no `aps`, no `message`, another root element.
        case payloadShape
        /// A device with more tags than the service is documented to take.
        case tooManyTags
        /// A finished payload over the platform's limit: its service drops it, and no device shows it.
        case tooLargeForPlatform
    }

    public var kind: Kind
    public var hub: String
    /// The header, the tag, the template ... it is about; empty when the kind says it all.
    public var subject: String
    public var text: String
    /// How often it happened.
    public var count: Int
}
