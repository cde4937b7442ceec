import Foundation
import HTTPTypes

/// A refused request of APNs in Apple's form: `{"reason": …}` (developer.apple.com, "Handling notification responses from
/// APNs").
struct APNsError: Error, Equatable {
    var status: Int
    var reason: String
    /// Of 410: when the token ended, in seconds since 1970.
    var since: Double?

    init(_ status: Int, _ reason: String, since: Double? = nil) {
        self.status = status
        self.reason = reason
        self.since = since
    }

    static let badCollapseID = APNsError(400, "BadCollapseId")
    static let badDeviceToken = APNsError(400, "BadDeviceToken")
    static let badExpirationDate = APNsError(400, "BadExpirationDate")
    static let badMessageID = APNsError(400, "BadMessageId")
    static let badPriority = APNsError(400, "BadPriority")
    static let badTopic = APNsError(400, "BadTopic")
    static let deviceTokenNotForTopic = APNsError(400, "DeviceTokenNotForTopic")
    static let duplicateHeaders = APNsError(400, "DuplicateHeaders")
    static let invalidPushType = APNsError(400, "InvalidPushType")
    static let missingDeviceToken = APNsError(400, "MissingDeviceToken")
    static let missingTopic = APNsError(400, "MissingTopic")
    static let payloadEmpty = APNsError(400, "PayloadEmpty")
    static let topicDisallowed = APNsError(400, "TopicDisallowed")
    static let badCertificate = APNsError(403, "BadCertificate")
    static let badCertificateEnvironment = APNsError(403, "BadCertificateEnvironment")
    static let badEnvironmentKey = APNsError(403, "BadEnvironmentKeyIdInToken")
    static let expiredProviderToken = APNsError(403, "ExpiredProviderToken")
    static let invalidProviderToken = APNsError(403, "InvalidProviderToken")
    static let missingProviderToken = APNsError(403, "MissingProviderToken")
    static let unrelatedKey = APNsError(403, "UnrelatedKeyIdInToken")
    static let badPath = APNsError(404, "BadPath")
    static let methodNotAllowed = APNsError(405, "MethodNotAllowed")
    static let payloadTooLarge = APNsError(413, "PayloadTooLarge")
    static let tooManyProviderTokenUpdates = APNsError(429, "TooManyProviderTokenUpdates")
    static let tooManyRequests = APNsError(429, "TooManyRequests")

    static func unregistered(since time: Double) -> APNsError { APNsError(410, "Unregistered", since: time) }
    static func expiredToken(since time: Double) -> APNsError { APNsError(410, "ExpiredToken", since: time) }

    /// Apple's most usual reason for a status; nil: it has none.
    static func usualReason(of status: Int) -> String? {
        switch status {
        case 400: "BadDeviceToken"
        case 403: "Forbidden"
        case 404: "BadPath"
        case 405: "MethodNotAllowed"
        case 410: "Unregistered"
        case 413: "PayloadTooLarge"
        case 429: "TooManyRequests"
        case 500: "InternalServerError"
        case 503: "ServiceUnavailable"
        default: nil
        }
    }

    /// For the journal.
    var line: String { reason }

    /// - Parameter id: the message's `apns-id`.
    func response(id: String?) -> Response {
        var members: [String: Any] = ["reason": reason]
        if let since { members["timestamp"] = Int64(min(max(since * 1_000, -9e15), 9e15)) }
        var response = FCMJSON.response(members, status: status)
        response.headers[.contentType] = "application/json"
        if let id { response.headers[.apnsID] = id }
        return response
    }
}

extension HTTPField.Name {
    // The names are tokens, so the forced unwraps hold.
    static let apnsID = HTTPField.Name("apns-id")!
    static let apnsUniqueID = HTTPField.Name("apns-unique-id")!
    static let apnsTopic = HTTPField.Name("apns-topic")!
    static let apnsPushType = HTTPField.Name("apns-push-type")!
    static let apnsPriority = HTTPField.Name("apns-priority")!
    static let apnsExpiration = HTTPField.Name("apns-expiration")!
    static let apnsCollapseID = HTTPField.Name("apns-collapse-id")!
}
