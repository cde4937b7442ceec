import Foundation
import HTTPTypes
import PushModel

/// A send that passed every check the service makes before it answers 201.
struct ValidatedSend: Sendable {
    let kind: SendKind
    let format: SendFormat
    let audience: Audience
    let content: Content

    enum Content: Sendable {
        case properties(StringObject)
        /// A payload in the platform's own format; goes out as it is.
        case payload(PayloadCache.Payload)
    }

    /// Of the notification itself, also within a batch; nil: it was not said.
    let type: ContentType?

    /// - Throws: the 400, 403 or 413 the service answers. A text of our own where no recording is known.
    init(_ call: EmulatorRequest, body: [UInt8]?, tier: EmulatorSettings.Tier) throws(ServiceError) {
        kind = SendKind(call)
        guard let body else { throw .tooLarge }
        let type = try Self.contentType(call[.contentType])
        let given = call[.format] ?? ""
        guard let format = SendFormat(header: given) else { throw .unknownFormat(given) }
        self.format = format
        if kind.isToHandles { try Self.checkDirect(call, format) }
        if kind == .scheduled, call.isOn("direct") || call.isOn("test") {
            throw .badRequest("A scheduled send can be neither a direct send nor a test send.")
        }
        let notification: [UInt8]
        switch kind {
        case .batch:
            try tier.check(.batch)
            let batch = try BatchBody(body, type: type)
            self.type = try Self.contentType(batch.payloadType)
            notification = batch.payload
            audience = .handles(batch.handles)
        case .direct:
            self.type = type
            notification = body
            audience = .handles([try Self.handle(call, format)])
        case .scheduled, .due, .send, .test:
            self.type = type
            notification = body
            audience = try Self.audience(of: call)
        }
        if format == .windows, call.isRaw {
            content = .payload(PayloadCache.Payload(notification))
            return
        }
        guard let text = String(validating: notification, as: UTF8.self) else {
            throw .badRequest("The notification is not valid UTF-8.")
        }
        content = format == .template ? .properties(try Self.properties(text)) : .payload(PayloadCache.Payload(text))
        if format.isJSON, format != .template { try Self.checkJSON(notification) }
    }

    private static func contentType(_ text: String?) throws(ServiceError) -> ContentType? {
        guard let text else { return nil }
        guard let type = ContentType(text) else { throw .badRequest("The Content-Type is not valid.") }
        return type
    }

    private static func checkDirect(_ call: EmulatorRequest, _ format: SendFormat) throws(ServiceError) {
        guard call.isOn("direct") else { throw .badRequest("A batch send needs direct in the query.") }
        if call.isOn("test") { throw .badRequest("A direct send cannot be a test send.") }
        if format == .template {
            throw .badRequest("A direct send cannot be in the template format: it asks for no registration.")
        }
    }

    private static func handle(_ call: EmulatorRequest, _ format: SendFormat) throws(ServiceError) -> String {
        guard let handle = call[.deviceHandle], !handle.isEmpty else {
            throw .badRequest("A direct send needs the header ServiceBusNotification-DeviceHandle.")
        }
        try BatchBody.check(handle)
        if format == .browser, call[.webPushAuth] ?? "" == "" || call[.webPushKey] ?? "" == "" {
            throw .badRequest("A direct send to a browser needs the headers Auth and P256DH.")
        }
        return handle
    }

    private static func audience(of call: EmulatorRequest) throws(ServiceError) -> Audience {
        guard let tags = call[.tags] else { return .everybody }
        if tags.isEmpty { return .nobody }
        do {
            return .tagged(try TagExpression(tags))
        } catch {
            // The service names a single bad tag; what it says to a bad expression is not recorded.
            if !tags.contains(where: { " ()!&|".contains($0) }) { throw .badRequest(ServiceError.invalidTagText(tags)) }
            throw .badRequest("The tag expression is not valid, \(error).")
        }
    }

    /// One object, string values only (notification-hubs.md section 0 point 4). Stricter than the service may be in one
    /// thing: names that differ only in case are refused, because a template finds just one of them.
    private static func properties(_ text: String) throws(ServiceError) -> StringObject {
        do {
            return try StringObject(text)
        } catch {
            throw .badRequest("The supplied notification payload is invalid: \(error).")
        }
    }

    private static func checkJSON(_ body: [UInt8]) throws(ServiceError) {
        do {
            _ = try JSONSerialization.jsonObject(with: Data(body))
        } catch {
            throw .badRequest("The supplied notification payload is invalid: it is no JSON.")
        }
    }
}
