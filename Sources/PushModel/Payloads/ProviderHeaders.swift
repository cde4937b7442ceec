/// The headers a row may add to its request: only those that the platform of its format understands.
///
/// The provider sets tags, format and authorization. A row that could set `ServiceBusNotification-Tags` could reach
/// every device.
enum ProviderHeaders {
    /// Headers one row may add.
    static let countLimit = 32
    /// Bytes of one value.
    static let valueLimit = 8_192

    /// - Parameters:
    ///   - json: the column `headers`; nil: none.
    ///   - isDirect: whether the message is for handles.
    static func read(_ json: String?, format: String, isDirect: Bool) throws(Unsendable) -> [Post.Header] {
        guard let json else { return [] }
        let object: StringObject
        do throws(StringObjectError) {
            object = try StringObject(json)
        } catch {
            throw Unsendable("headers", nil, "\(error)")
        }
        if object.count > countLimit {
            throw Unsendable("headers", nil, "there are \(object.count), at most \(countLimit) are allowed")
        }
        let allowed = Allowed(format, isDirect: isDirect)
        var headers: [Post.Header] = []
        for (name, value) in object.pairs {
            let folded = name.lowercased()
            guard isToken(name), allowed.contains(folded) else {
                throw Unsendable("headers", name, "this header is not allowed; \(allowed.text)")
            }
            try check(name, value)
            if let rule = rule(for: folded, value) { throw Unsendable("headers", name, rule) }
            headers.append(Post.Header(name: name, value: value))
        }
        return headers
    }

    private static func check(_ name: String, _ value: String) throws(Unsendable) {
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

    /// The rule of the platform that a value breaks (docs/wire/fcm-apns.md); nil when no such rule is known.
    private static func rule(for name: String, _ value: String) -> String? {
        switch name {
        case "apns-priority": ["1", "5", "10"].contains(value) ? nil : "it must be 1, 5 or 10"
        case "apns-expiration":
            value.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
                ? nil : "it is not a whole number: seconds since 1970, 0 for one attempt"
        case "apns-push-type":
            pushTypes.contains(value) ? nil : "it must be one of \(pushTypes.joined(separator: ", "))"
        case "apns-collapse-id": value.utf8.count <= 64 ? nil : "it has \(value.utf8.count) bytes, Apple takes 64"
        case "x-wns-type": wnsTypes.contains(value) ? nil : "it must be one of \(wnsTypes.joined(separator: ", "))"
        default: nil
        }
    }

    private static let pushTypes = [
        "alert", "background", "voip", "complication", "fileprovider", "mdm", "location", "liveactivity", "pushtotalk",
        "widgets",
    ]
    private static let wnsTypes = ["wns/toast", "wns/tile", "wns/badge", "wns/raw"]

    private static func isToken(_ name: String) -> Bool {
        name.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte &- UInt8(ascii: "0") < 10
                || byte.foldedASCII &- UInt8(ascii: "a") < 26
        }
    }
}

extension ProviderHeaders {
    /// The headers of one format.
    private struct Allowed {
        /// In their usual case; a `*` at the end matches any ending.
        private let names: [String]
        private let format: String

        init(_ format: String, isDirect: Bool) {
            self.format = format
            names =
                switch format {
                case "template":
                    [
                        "apns-*", "X-WNS-*", "ServiceBusNotification-Apns-Expiry", "X-WindowsPhone-Target",
                        "X-NotificationClass", "X-Baidu-Message-Type",
                    ]
                case "apple": ["apns-*", "ServiceBusNotification-Apns-Expiry"]
                case "windows": ["X-WNS-*"]
                case "baidu": ["X-Baidu-Message-Type"]
                // They belong to one browser, so they mean nothing for a tag.
                case "browser" where isDirect: ["Auth", "P256DH"]
                default: []
                }
        }

        /// - Parameter folded: a name in lower case.
        func contains(_ folded: String) -> Bool {
            names.contains { name in
                let name = name.lowercased()
                return name.last == "*"
                    ? folded.hasPrefix(name.dropLast()) && folded.utf8.count >= name.utf8.count : folded == name
            }
        }

        var text: String {
            switch (names.isEmpty, format) {
            case (false, _): "format \(format) takes \(names.joined(separator: ", "))"
            case (true, "browser"): "format browser takes Auth and P256DH, and only with handles"
            case (true, _): "format \(format) takes none"
            }
        }
    }
}
