import Foundation
import PushModel

/// A send that passed every check the service makes before it answers 201.
struct Submission: Sendable {
    let format: SendFormat
    let audience: Audience
    let content: Content

    enum Content: Sendable {
        case properties(FlatObject)
        /// A payload in the platform's own format; goes out as it is.
        case payload(String)
    }

    /// - Throws: the 400 or 413 the service answers. A text of our own where no recording is known.
    init(_ call: Call, body: [UInt8]?) throws(ServiceError) {
        guard let body else { throw .tooLarge }
        let given = call.headers[.format] ?? ""
        guard let format = SendFormat(header: given) else { throw .unknownFormat(given) }
        self.format = format
        audience = try Self.audience(of: call)
        guard let text = String(validating: body, as: UTF8.self) else {
            throw .badRequest("The notification is not valid UTF-8.")
        }
        content = format == .template ? .properties(try Self.properties(text)) : .payload(text)
        if format.isJSON, format != .template { try Self.checkJSON(body) }
    }

    private static func audience(of call: Call) throws(ServiceError) -> Audience {
        if call.isOn("direct") {
            guard let handle = call.headers[.deviceHandle], !handle.isEmpty else {
                throw .badRequest("A direct send needs the header ServiceBusNotification-DeviceHandle.")
            }
            if call.parameter("test") != nil { throw .badRequest("A direct send cannot be a test send.") }
            return .handle(handle)
        }
        guard let tags = call.headers[.tags] else { return .everybody }
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
    private static func properties(_ text: String) throws(ServiceError) -> FlatObject {
        do {
            return try FlatObject(text)
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
