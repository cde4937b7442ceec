import HTTPTypes
import Signing

/// The request of a send as it arrived, for people who want to know what a client sent. Its secrets cannot be read.
struct SentRequest: Sendable, Equatable {
    /// One header as it may be shown.
    struct Header: Sendable, Equatable, Encodable {
        let name: String
        /// `•••` for a secret.
        let value: String
    }

    let method: String
    /// `http://127.0.0.1:8099`, as the client connected.
    let origin: String
    /// Path and query as received.
    let target: String
    private let fields: HTTPFields

    init(_ request: EmulatorRequest) {
        method = request.method.rawValue
        origin = request.origin
        target = request.path + request.rawQuery
        fields = request.headers
    }

    /// In the order received.
    var headers: [Header] {
        fields.map { Header(name: $0.name.rawName, value: Self.isSecret($0.name) ? Self.mask : $0.value) }
    }

    static let mask = "•••"

    /// `Auth` is the secret of a browser's subscription, in a direct send.
    static func isSecret(_ name: HTTPField.Name) -> Bool {
        ["authorization", "proxy-authorization", "cookie", "auth"].contains(name.canonicalName)
    }
}
