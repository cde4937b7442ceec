/// Why a service account is refused. Names the member at fault and never quotes the file, which holds the key.
public enum ServiceAccountError: Error, Sendable, Equatable {
    public enum Member: String, Sendable, CaseIterable {
        case type
        case project = "project_id"
        case keyID = "private_key_id"
        case key = "private_key"
        case email = "client_email"
        case tokenAddress = "token_uri"
    }

    case empty
    /// Bytes; `ServiceAccount.limit` are allowed.
    case tooLarge(Int)
    case notJSON
    /// Begins as JSON, and has no closing brace at its end.
    case cutOff
    case missing(Member)
    case notText(Member)
    /// Empty, too long, or with characters that it cannot have.
    case form(Member)
    /// Another kind of credential, such as the OAuth client of a person.
    case otherType
    /// The settings with which an app finds its project, not those of a sender.
    case ofApp
    case address(WebAddressError)
    case key(RSAKeyError)
}

extension ServiceAccountError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "empty text; put the whole JSON file of the service account here"
        case .tooLarge(let bytes): "has \(bytes) bytes, a service account has at most \(ServiceAccount.limit)"
        case .notJSON: "is not a JSON object; put the whole file of the service account here, not its name"
        case .cutOff: "is not JSON: its end is missing; copy the whole file of the service account"
        case .missing(let member): "\(member.rawValue) is missing"
        case .notText(let member): "\(member.rawValue) is not a text"
        case .form(let member): "\(member.rawValue) is empty, too long, or has characters that it cannot have"
        case .otherType:
            "type is not service_account; make a key in the Firebase console: Project settings, Service accounts"
        case .ofApp:
            "is google-services.json, which belongs to the app; make a key in the Firebase console: Project settings, Service "
                + "accounts"
        case .address(let error): "token_uri \(error)"
        case .key(let error): "private_key \(error)"
        }
    }
}
