import PushModel

/// FCM's error body:
/// `{"error":{"code":404,"message":"…","status":"NOT_FOUND","details":[{"@type":"…FcmError","errorCode":"UNREGISTERED"}]}}`
/// (docs/wire/fcm-apns.md, "Errors of FCM").
///
/// Never fails: an empty body, a page of a proxy or half a document leave the fields empty.
struct FCMError: Equatable {
    /// `errorCode` of the detail `FcmError`.
    var code: String?
    /// The name of a code of google.rpc: `NOT_FOUND`. Of an error that is a plain string, that string.
    var status: String?
    var message = ""
    /// Where the fault is, and what it is, from the detail `BadRequest`: `message.token`.
    var violations: [(field: String, words: String)] = []
    /// What the details `QuotaFailure` and `ErrorInfo` say.
    var remarks: [String] = []

    static func == (one: FCMError, other: FCMError) -> Bool {
        one.code == other.code && one.status == other.status && one.message == other.message
            && one.remarks == other.remarks && one.violations.elementsEqual(other.violations, by: ==)
    }

    init(body: [UInt8]) {
        // A page of a proxy, or nothing: most of what is no JSON.
        guard body.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"), let root = try? JSONNode(body).value,
            let error = root["error"]
        else { return }
        if case .string(let name) = error { status = name }
        status = error["status"]?.text ?? status
        message = error["message"]?.text ?? ""
        for detail in error["details"]?.elements ?? [] { read(detail) }
    }

    private mutating func read(_ detail: JSONValue) {
        switch detail["@type"]?.text?.split(separator: ".").last {
        case "FcmError": code = detail["errorCode"]?.text
        case "BadRequest":
            for violation in detail["fieldViolations"]?.elements ?? [] {
                violations.append((violation["field"]?.text ?? "", violation["description"]?.text ?? ""))
            }
        case "QuotaFailure":
            for violation in detail["violations"]?.elements ?? [] {
                remarks += [violation["subject"], violation["description"]].compactMap { $0?.text }
            }
        case "ErrorInfo":
            remarks += [detail["reason"]?.text].compactMap(\.self)
            if case .object(let members) = detail["metadata"] { remarks += members.compactMap { $0.node.value.text } }
        default: break
        }
    }

    /// What went wrong, as one word of FCM's: its own code before the general one.
    var name: String? {
        switch code {
        case "APNS_AUTH_ERROR": "THIRD_PARTY_AUTH_ERROR"  // its older name
        case nil, "UNSPECIFIED_ERROR": status
        default: code
        }
    }

    /// What FCM's code means, or else the general one; nil: the HTTP status decides.
    var cause: Cause? { code.flatMap(Cause.init(code:)) ?? status.flatMap(Cause.init(status:)) }

    enum Cause {
        case argument, unregistered, otherSender, quota, unavailable, thirdParty
        case unauthenticated, denied, notFound, unanswered

        init?(code: String) {
            switch code {
            case "INVALID_ARGUMENT": self = .argument
            case "UNREGISTERED": self = .unregistered
            case "SENDER_ID_MISMATCH": self = .otherSender
            case "QUOTA_EXCEEDED": self = .quota
            case "UNAVAILABLE", "INTERNAL": self = .unavailable
            case "THIRD_PARTY_AUTH_ERROR", "APNS_AUTH_ERROR": self = .thirdParty
            default: return nil
            }
        }

        init?(status: String) {
            switch status {
            case "INVALID_ARGUMENT", "FAILED_PRECONDITION", "OUT_OF_RANGE": self = .argument
            case "UNAUTHENTICATED": self = .unauthenticated
            case "PERMISSION_DENIED": self = .denied
            case "NOT_FOUND": self = .notFound
            case "RESOURCE_EXHAUSTED": self = .quota
            case "UNAVAILABLE", "INTERNAL", "ABORTED": self = .unavailable
            case "DEADLINE_EXCEEDED", "CANCELLED": self = .unanswered
            default: return nil
            }
        }
    }

    /// Whether the registration token or installation id is at fault, and not the rest of the message.
    var blamesTarget: Bool {
        violations.contains { ["message.token", "message.fid"].contains($0.field) }
            || ([message] + violations.map(\.words)).contains { $0.contains("not a valid FCM registration token") }
    }

    /// Whether the rate of one device is exceeded, and not that of the project.
    var namesDevice: Bool {
        ([message] + remarks).contains { text in
            text.lowercased().split { !$0.isLetter }.contains { $0 == "device" || $0 == "devices" }
        }
    }
}

extension JSONValue {
    var text: String? { if case .string(let text) = self { text } else { nil } }

    fileprivate var elements: [JSONValue] {
        if case .array(let elements) = self { elements.map(\.value) } else { [] }
    }
}
