/// Something the service would accept in silence and the sender most likely did not mean.
public struct EmulatorWarning: Sendable, Equatable, Codable {
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// No tags header: every device of the hub gets it.
        case broadcast
        /// An empty tags header: the service takes it, and nobody gets it.
        case emptyTags
        /// A header named `Tags`, which the service does not know: without the right one, the send is a broadcast.
        case tagsHeader
        /// A `ServiceBusNotification-` header that no official client sends.
        case unknownHeader
        /// A notification without a `Content-Type`, or with one its format does not come as.
        case contentType
        /// A Windows notification without `X-WNS-Type`, or with one Windows does not know.
        case wnsType
        /// No `api-version` in the query.
        case missingVersion
        /// A tag no device of the hub has.
        case unknownTag
        /// The hub has no devices at all.
        case noDevices
        /// A template whose alert came out empty: mostly a language the send did not carry.
        case emptyAlert
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
