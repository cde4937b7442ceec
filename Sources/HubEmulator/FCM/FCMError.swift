import Foundation
import HTTPTypes

/// A refused request of FCM in Google's form: `{"error": {"code", "message", "status", "details"}}`
/// (firebase.google.com, REST reference, `ErrorCode` and `FcmError`).
struct FCMError: Error, Equatable {
    /// What is wrong with one field: a `BadRequest.FieldViolation`.
    struct Violation: Equatable {
        /// `message.android.ttl`.
        let field: String
        let description: String
    }

    /// The HTTP status.
    var status: Int
    var message: String
    /// The `errorCode` of the detail `FcmError`; nil: no such detail.
    var code: String?
    var violations: [Violation] = []
    /// A detail `QuotaFailure`: whose quota, and which.
    var quota: (subject: String, description: String)?
    /// The reason in a detail `ErrorInfo`.
    var reason: String?

    static func == (one: FCMError, other: FCMError) -> Bool {
        one.status == other.status && one.message == other.message && one.code == other.code
            && one.violations == other.violations && one.reason == other.reason
            && one.quota?.subject == other.quota?.subject && one.quota?.description == other.quota?.description
    }

    /// 400 about one field.
    static func invalid(_ field: String, _ description: String, message: String? = nil) -> FCMError {
        FCMError(
            status: 400, message: message ?? description, code: "INVALID_ARGUMENT",
            violations: [Violation(field: field, description: description)])
    }

    static let unregistered = FCMError(
        status: 404, message: "Requested entity was not found.", code: "UNREGISTERED")

    /// 404 without the detail `FcmError`: the project, not the phone.
    static func noProject(_ project: String) -> FCMError {
        FCMError(status: 404, message: "The emulator has no sender of the project \(project.prefix(100)).")
    }

    static let noToken = FCMError(
        status: 401, message: "The request has no access token: Authorization: Bearer TOKEN.",
        reason: "CREDENTIALS_MISSING")
    static let unknownToken = FCMError(
        status: 401,
        message: "The access token is unknown: this emulator has not given it out, or its account is revoked.",
        reason: "ACCESS_TOKEN_TYPE_UNSUPPORTED")
    static let expiredToken = FCMError(
        status: 401, message: "The access token has expired.", reason: "ACCESS_TOKEN_EXPIRED")

    static func otherProject(_ project: String) -> FCMError {
        FCMError(
            status: 403,
            message: "Permission 'cloudmessaging.messages.create' denied on resource "
                + "'//cloudresourcemanager.googleapis.com/projects/\(project)': the account is another project's.",
            reason: "IAM_PERMISSION_DENIED")
    }

    /// Google's word for a status.
    static func word(for status: Int) -> String {
        switch status {
        case 400: "INVALID_ARGUMENT"
        case 401: "UNAUTHENTICATED"
        case 403: "PERMISSION_DENIED"
        case 404: "NOT_FOUND"
        case 409: "ALREADY_EXISTS"
        case 429: "RESOURCE_EXHAUSTED"
        case 499: "CANCELLED"
        case 500: "INTERNAL"
        case 501: "UNIMPLEMENTED"
        case 503: "UNAVAILABLE"
        case 504: "DEADLINE_EXCEEDED"
        default: "UNKNOWN"
        }
    }

    /// On one line, for the journal.
    var line: String { code.map { "\($0): \(message)" } ?? message }

    var response: Response {
        var error: [String: Any] = ["code": status, "message": message, "status": Self.word(for: status)]
        if !details.isEmpty { error["details"] = details }
        var response = FCMJSON.response(["error": error], status: status)
        if status == 401 {
            response.headers[.wwwAuthenticate] =
                "Bearer realm=\"https://accounts.google.com/\"" + (self == .noToken ? "" : ", error=\"invalid_token\"")
        }
        return response
    }

    private var details: [[String: Any]] {
        var details: [[String: Any]] = []
        if let code {
            details.append(["@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": code])
        }
        if !violations.isEmpty {
            details.append([
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": violations.map { ["field": $0.field, "description": $0.description] },
            ])
        }
        if let quota {
            details.append([
                "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                "violations": [["subject": quota.subject, "description": quota.description]],
            ])
        }
        if let reason {
            details.append([
                "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "googleapis.com",
                "metadata": ["service": "fcm.googleapis.com"],
            ])
        }
        return details
    }
}

/// JSON of dictionaries that are made here.
enum FCMJSON {
    static func response(_ object: [String: Any], status: Int = 200) -> Response {
        // Dictionaries of texts, numbers and lists always serialise.
        let data = try? JSONSerialization.data(
            withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        return .json(Array(data ?? Data("{}".utf8)), status: status)
    }
}
