import HTTPTypes

/// Header names; those that come with every request are checked only once.
enum FieldNames {
    // A token, so never nil.
    static let host = HTTPField.Name("Host")!

    /// nil: not a token (RFC 9110 section 5.6.2).
    static func name(_ text: String) -> HTTPField.Name? { usual[text] ?? HTTPField.Name(text) }

    private static let usual: [String: HTTPField.Name] = {
        let spellings = [
            "Host", "Accept", "Accept-Encoding", "Authorization", "Connection", "Content-Length", "Content-Type",
            "Expect", "User-Agent", "TrackingId", "ServiceBusNotification-Format", "ServiceBusNotification-Tags",
            "ServiceBusNotification-DeviceHandle", "x-ms-version", "apns-topic", "apns-push-type", "apns-priority",
            "apns-expiration", "apns-id",
        ]
        var names: [String: HTTPField.Name] = [:]
        for spelling in spellings {
            names[spelling] = HTTPField.Name(spelling)
            names[spelling.lowercased()] = HTTPField.Name(spelling.lowercased())
        }
        return names
    }()
}
