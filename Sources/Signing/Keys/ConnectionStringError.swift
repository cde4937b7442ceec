/// Why a connection string is refused. Names the field at fault and never quotes the input, which holds the key.
public enum ConnectionStringError: Error, Sendable, Equatable {
    public enum Field: String, Sendable, CaseIterable {
        case endpoint = "Endpoint"
        case keyName = "SharedAccessKeyName"
        case key = "SharedAccessKey"
        case entityPath = "EntityPath"
    }

    case empty
    case partWithoutEquals
    case missing(Field)
    case emptyValue(Field)
    case duplicate(Field)
    case tooLong(Field, limit: Int)
    case endpointScheme
    case endpointForm
    case plainHTTP
    case otherHub
}

extension ConnectionStringError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "empty string"
        case .partWithoutEquals: "part without ="
        case .missing(let field): "missing \(field.rawValue)"
        case .emptyValue(let field): "empty \(field.rawValue)"
        case .duplicate(let field): "duplicate \(field.rawValue)"
        case .tooLong(let field, let limit): "\(field.rawValue) longer than \(limit)"
        case .endpointScheme: "Endpoint does not begin with sb:// or https://"
        case .endpointForm: "Endpoint is not scheme://host[:port]/"
        case .plainHTTP: "Endpoint with http:// that is not on loopback"
        case .otherHub: "EntityPath names another hub than the one configured"
        }
    }
}
