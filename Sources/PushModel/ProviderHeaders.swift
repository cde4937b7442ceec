/// The headers a row may add to its request: those that the platforms behind a hub understand, and no other.
///
/// Tags, format and authorization are the provider's to set. A row that could set `ServiceBusNotification-Tags` could
/// reach everybody.
enum ProviderHeaders {
    /// Headers one row may add.
    static let countLimit = 32
    /// Bytes of one value.
    static let valueLimit = 8_192

    private static let prefixes = ["apns-", "x-wns-"]
    private static let names: Set<String> = [
        "servicebusnotification-apns-expiry", "x-windowsphone-target", "x-notificationclass", "x-baidu-message-type",
    ]

    /// - Parameter json: the column `headers`; nil: none.
    static func read(_ json: String?) throws(Unsendable) -> [Post.Header] {
        guard let json else { return [] }
        let object: FlatObject
        do throws(FlatObjectError) {
            object = try FlatObject(json)
        } catch {
            throw Unsendable("headers", nil, "\(error)")
        }
        if object.count > countLimit {
            throw Unsendable("headers", nil, "there are \(object.count), at most \(countLimit) are allowed")
        }
        var headers: [Post.Header] = []
        for (name, value) in object.pairs {
            try check(name, value)
            headers.append(Post.Header(name: name, value: value))
        }
        return headers
    }

    private static func check(_ name: String, _ value: String) throws(Unsendable) {
        let folded = name.lowercased()
        guard isToken(name), names.contains(folded) || prefixes.contains(where: folded.hasPrefix) else {
            throw Unsendable(
                "headers", name,
                "this header is not allowed; allowed are apns-*, X-WNS-*, ServiceBusNotification-Apns-Expiry, "
                    + "X-WindowsPhone-Target, X-NotificationClass, X-Baidu-Message-Type")
        }
        if value.utf8.count > valueLimit {
            throw Unsendable(
                "headers", name, "the value has \(value.utf8.count) bytes, at most \(valueLimit) are allowed")
        }
        guard value.utf8.contains(where: { $0 != UInt8(ascii: " ") }) else {
            throw Unsendable("headers", name, "the value is empty")
        }
        guard value.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            throw Unsendable("headers", name, "a value has only visible ASCII characters and spaces")
        }
    }

    private static func isToken(_ name: String) -> Bool {
        name.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte &- UInt8(ascii: "0") < 10
                || byte.foldedASCII &- UInt8(ascii: "a") < 26
        }
    }
}
