/// One request as it is planned: whom it is for, what it says, and the messages that ride in it. No URL and no token:
/// those are the provider's business.
public struct Post: Sendable, Equatable {
    /// The messages that share this request; never empty. All get the same verdict.
    public var messages: [Int64]
    public var target: Target
    /// As in `Message.format`.
    public var format: String
    /// Extra provider headers, in the order they are sent.
    public var headers: [Header]
    /// The finished body, UTF-8. At most `Post.bodyLimit` bytes.
    public var body: [UInt8]

    public struct Header: Sendable, Equatable {
        public var name: String
        public var value: String
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Bytes a Notification Hubs request may have (notification-hubs.md section 5: 64 KB, 413 beyond).
    public static let bodyLimit = 65_536

    public init(
        messages: [Int64], target: Target, format: String = "template", headers: [Header] = [], body: [UInt8]
    ) {
        self.messages = messages
        self.target = target
        self.format = format
        self.headers = headers
        self.body = body
    }
}
