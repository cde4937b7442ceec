import Signing

/// A refused request: status and detail in the service's words (docs/wire/notification-hubs.md, "Status codes").
struct ServiceError: Error, Equatable {
    let status: Int
    /// nil: an empty body, as the service sends for a missing right.
    let detail: String?
    /// Whether the service's `.TrackingId:...,TimeStamp:...` follows the detail. In the recorded error about formats it
    /// does not.
    var traced = true

    static func badRequest(_ detail: String) -> ServiceError { ServiceError(status: 400, detail: detail) }

    static let noSuchHub = ServiceError(status: 404, detail: "No service is hosted at the specified address.")
    static let noSuchInstallation = ServiceError(status: 404, detail: "Installation not found")
    /// The service sends no detail (recorded in August 2019).
    static let noSuchRegistration = ServiceError(status: 404, detail: "")
    /// The hub cannot have given out the id (docs/wire/notification-hubs.md, "Registrations").
    static let registrationGone = ServiceError(
        status: 410, detail: "SubCode=41000. The registration id is gone. Get a new one from /registrationids.")
    static let preconditionFailed = ServiceError(
        status: 412, detail: "Precondition Failed: the ETag is missing or not the registration's.")
    /// A registration of an installation can only be changed through the installation.
    static func ofInstallation(_ id: String) -> ServiceError {
        ServiceError(
            status: 409, detail: "SubCode=40900. Conflict: the registration belongs to the installation \(id)")
    }

    /// 400. For too many devices 403 without `Retry-After`, like other quotas of the tier.
    init(_ error: EmulatorError) {
        self.init(status: error == .tooManyDevices ? 403 : 400, detail: error.description)
    }

    init(status: Int, detail: String?, traced: Bool = true) {
        self.status = status
        self.detail = detail
        self.traced = traced
    }

    static let tooLarge = ServiceError(
        status: 413, detail: "The request is larger than 65536 bytes, the most a notification may have.")
    static let methodNotAllowed = ServiceError(status: 405, detail: "The method is not allowed at this address.")
    static let notServed = ServiceError(status: 501, detail: "The emulator does not serve this operation.")
    /// None of the official clients repeats a request after 501.
    static let noJobs = ServiceError(
        status: 501,
        detail: "The emulator has no jobs: import and export need a blob container. To import, PUT installations or "
            + "start the emulator with --devices FILE; to export, GET registrations or start it with --state FILE.")

    /// 403 with a detail: the tier lacks it (docs/wire/notification-hubs.md, "Limits and tiers"). The text is ours.
    static func notInTier(_ feature: String) -> ServiceError {
        ServiceError(status: 403, detail: "\(feature) is not available in the tier of this hub.")
    }

    /// A send whose token lacks the right gets 403 with an empty body from api-version 2020-06 on. Older versions, and
    /// all other operations (recorded in July 2020), get 401 with the name of the right.
    ///
    /// - Parameters:
    ///   - rights: any one of these would have been enough.
    ///   - version: nil: the newest.
    static func missingRight(_ rights: Set<Right>, version: APIVersion?) -> ServiceError {
        guard rights.contains(.send) else {
            return ServiceError(status: 401, detail: "Manage claim is required for this operation.")
        }
        guard let version, version < .newest else { return ServiceError(status: 403, detail: nil) }
        return ServiceError(status: 401, detail: "Send claim is required for this operation.")
    }

    static func unknownFormat(_ format: String) -> ServiceError {
        ServiceError(
            status: 400,
            detail: "The HTTP header \"ServiceBusNotification-Format\" has an invalid value: \"\(format)\". "
                + "Allowed values are \"windows\", \"apple\", \"gcm\", \"template\", \"adm\", or \"windowsphone\".",
            traced: false)
    }

    static func invalidTagText(_ tag: String) -> String {
        "An invalid tag '\(tag)' was supplied. Valid tag characters are alphanumeric, _, @, -, ., : and #"
    }

    /// The body, `application/xml`.
    func body(tracking: String, at time: CivilTime) -> [UInt8] {
        guard let detail else { return [] }
        let trace = traced ? ".TrackingId:\(tracking),TimeStamp:\(time.errorStamp)" : ""
        return Array("<Error><Code>\(status)</Code><Detail>\(detail.xmlEscaped)\(trace)</Detail></Error>".utf8)
    }
}

extension String {
    /// Escaped for an element's text. Quotation marks stay, as in the recorded bodies. Control characters, which XML does
    /// not allow, become `?`.
    var xmlEscaped: String {
        var text = ""
        text.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            default: text.unicodeScalars.append(scalar.isInXML ? scalar : "?")
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// Whether XML 1.0 allows it.
    var isInXML: Bool {
        value >= 0x20 && value != 0xFFFE && value != 0xFFFF || self == "\t" || self == "\n" || self == "\r"
    }
}
