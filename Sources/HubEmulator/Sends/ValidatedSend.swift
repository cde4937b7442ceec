import Foundation
import HTTPTypes
import PushModel

/// A send that passed all checks of the service before its 201.
struct ValidatedSend: Sendable {
    let kind: SendKind
    let format: SendFormat
    let audience: Audience
    let content: Content
    /// Properties that stand in the body more than once; case does not count.
    private(set) var repeatedNames: [String] = []

    enum Content: Sendable {
        case properties(StringObject)
        /// A payload in the platform's own format, sent unchanged.
        case payload(PayloadCache.Payload)
    }

    /// Of the notification itself, also within a batch; nil: absent.
    let type: ContentType?

    /// - Throws: the service's 400, 403 or 413. The text is ours where no recording is known.
    init(_ request: EmulatorRequest, body: [UInt8]?, tier: EmulatorSettings.Tier) throws(ServiceError) {
        kind = SendKind(request)
        guard let body else { throw .tooLarge }
        let type = try Self.contentType(request[.contentType])
        let name = request[.format] ?? ""
        guard let format = SendFormat(header: name) else { throw .unknownFormat(name) }
        self.format = format
        if kind.isToHandles { try Self.checkDirect(request, format) }
        if kind == .scheduled, request.isOn("direct") || request.isOn("test") {
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
            audience = .handles([try Self.handle(request, format)])
        case .scheduled, .due, .send, .test, .trial:
            self.type = type
            notification = body
            audience = try Self.audience(of: request)
        }
        if format == .windows, request.isRaw {
            content = .payload(PayloadCache.Payload(notification))
            return
        }
        guard let text = String(validating: notification, as: UTF8.self) else {
            throw .badRequest("The notification is not valid UTF-8.")
        }
        if format == .template {
            let object = try Self.properties(text)
            content = .properties(object)
            if object.bytes.count < notification.count { repeatedNames = Self.repeated(in: notification) }
        } else {
            content = .payload(PayloadCache.Payload(text))
        }
        if format.isJSON, format != .template { try Self.checkJSON(notification) }
    }

    private static func contentType(_ text: String?) throws(ServiceError) -> ContentType? {
        guard let text else { return nil }
        guard let type = ContentType(text) else { throw .badRequest("The Content-Type is not valid.") }
        return type
    }

    private static func checkDirect(_ request: EmulatorRequest, _ format: SendFormat) throws(ServiceError) {
        guard request.isOn("direct") else { throw .badRequest("A batch send needs direct in the query.") }
        if request.isOn("test") { throw .badRequest("A direct send cannot be a test send.") }
        if format == .template {
            throw .badRequest("A direct send cannot have the template format: it uses no registration.")
        }
    }

    private static func handle(_ request: EmulatorRequest, _ format: SendFormat) throws(ServiceError) -> String {
        guard let handle = request[.deviceHandle], !handle.isEmpty else {
            throw .badRequest("A direct send needs the header ServiceBusNotification-DeviceHandle.")
        }
        try BatchBody.check(handle)
        if format == .browser, request[.webPushAuth] ?? "" == "" || request[.webPushKey] ?? "" == "" {
            throw .badRequest("A direct send to a browser needs the headers Auth and P256DH.")
        }
        return handle
    }

    private static func audience(of request: EmulatorRequest) throws(ServiceError) -> Audience {
        guard let tags = request[.tags] else { return .allDevices }
        if tags.isEmpty { return .noDevices }
        do {
            return .tagged(try TagExpression(tags))
        } catch {
            // The service names a single bad tag; its text for a bad expression is not recorded.
            if !tags.contains(where: { " ()!&|".contains($0) }) { throw .badRequest(ServiceError.invalidTagText(tags)) }
            throw .badRequest("The tag expression is not valid, \(error).")
        }
    }

    /// One object of strings (docs/wire/notification-hubs.md, "Sends"). Perhaps stricter than the service in one thing:
    /// refuses names that differ only in case, because a template finds only one of them.
    private static func properties(_ text: String) throws(ServiceError) -> StringObject {
        do {
            return try StringObject(text)
        } catch {
            throw .badRequest("The supplied notification payload is invalid: \(error).")
        }
    }

    /// Names as they stand: `StringObject`, which has read this body already, keeps only the last of each.
    private static func repeated(in body: [UInt8]) -> [String] {
        guard let value = (try? JSONNode(body))?.value, case .object(let members) = value else { return [] }
        var seen: Set<String> = []
        return members.map(\.name).filter { !seen.insert($0.lowercased()).inserted }
    }

    private static func checkJSON(_ body: [UInt8]) throws(ServiceError) {
        do {
            _ = try JSONSerialization.jsonObject(with: Data(body))
        } catch {
            throw .badRequest("The supplied notification payload is invalid: it is not JSON.")
        }
    }
}
