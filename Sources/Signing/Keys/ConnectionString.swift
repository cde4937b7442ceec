/// A hub's address and key as the portal shows them:
/// `Endpoint=sb://ns.servicebus.windows.net/;SharedAccessKeyName=...;SharedAccessKey=...[;EntityPath=hub]`.
public struct ConnectionString: Sendable, Equatable {
    /// `https://host[:port]`, for an emulator `http://127.0.0.1:8099`. Host in lower case, no trailing slash.
    public let base: String
    /// Without port.
    public let host: String
    public let keyName: String
    public let key: Secret
    /// The hub that the string names, if any.
    public let entityPath: String?

    /// Characters a policy name or a key may have (.NET SDK).
    private static let lengthLimit = 256
    /// Characters a hub name may have (.NET SDK).
    private static let hubLimit = 260

    /// Parses as in docs/wire/notification-hubs.md, "Connection strings": parts in any order, names in any case, white
    /// space and blank parts ignored, unknown parts ignored, each part split at its first `=`.
    ///
    /// - Throws: `ConnectionStringError`, which never holds any of the input.
    public init(parsing text: String) throws(ConnectionStringError) {
        let parts = text.split(separator: ";").map(Self.trimmed).filter { !$0.isEmpty }
        guard !parts.isEmpty else { throw .empty }

        var values: [ConnectionStringError.Field: String] = [:]
        for part in parts {
            guard let equals = part.firstIndex(of: "=") else { throw .partWithoutEquals }
            let name = Self.trimmed(part[..<equals]).lowercased()
            guard let field = ConnectionStringError.Field.allCases.first(where: { $0.rawValue.lowercased() == name })
            else { continue }
            let value = Self.trimmed(part[part.index(after: equals)...])
            guard !value.isEmpty else { throw .emptyValue(field) }
            guard values.updateValue(String(value), forKey: field) == nil else { throw .duplicate(field) }
        }
        func value(_ field: ConnectionStringError.Field, limit: Int = .max) throws(ConnectionStringError) -> String {
            guard let value = values[field] else { throw .missing(field) }
            guard value.count <= limit else { throw .tooLong(field, limit: limit) }
            return value
        }
        let endpoint = try Endpoint(value(.endpoint))
        base = endpoint.base
        host = endpoint.host
        keyName = try value(.keyName, limit: Self.lengthLimit)
        key = Secret(try value(.key, limit: Self.lengthLimit))
        entityPath = values[.entityPath] == nil ? nil : try value(.entityPath, limit: Self.hubLimit)
    }

    /// The hub to use: the configured one, or else the one that the string names.
    ///
    /// - Returns: nil when neither is given.
    /// - Throws: `.otherHub` when both are given and differ; case does not matter.
    public func hub(configured: String?) throws(ConnectionStringError) -> String? {
        guard let entityPath, let configured else { return configured ?? entityPath }
        guard entityPath.lowercased() == configured.lowercased() else { throw .otherHub }
        return configured
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...last]
    }
}

/// A policy's name and one of its keys, which together sign tokens.
public struct SigningKey: Sendable, Equatable {
    public let name: String
    public let key: Secret

    public init(name: String, key: Secret) {
        self.name = name
        self.key = key
    }
}

extension ConnectionString {
    public var signingKey: SigningKey { SigningKey(name: keyName, key: key) }
}
