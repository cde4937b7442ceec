import Foundation
import PushModel

/// A send that passed every check the service makes before it answers 201.
struct Submission: Sendable {
    let format: SendFormat
    let audience: Audience
    let content: Content

    enum Content: Sendable {
        case properties([String: String])
        /// A payload in the platform's own format; goes out as it is.
        case payload(String)
    }

    /// - Throws: the 400 or 413 the service answers. A text of our own where no recording is known.
    init(_ call: Call, body: [UInt8]?) throws(Refusal) {
        guard let body else { throw .tooLarge }
        let given = call.headers[.format] ?? ""
        guard let format = SendFormat(header: given) else { throw .unknownFormat(given) }
        self.format = format
        audience = try Self.audience(of: call)
        guard let text = String(validating: body, as: UTF8.self) else {
            throw .badRequest("The notification is not valid UTF-8.")
        }
        content = format == .template ? .properties(try Self.properties(body)) : .payload(text)
        if format.isJSON, format != .template { try Self.checkJSON(body) }
    }

    private static func audience(of call: Call) throws(Refusal) -> Audience {
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
            if !tags.contains(where: { " ()!&|".contains($0) }) { throw .badRequest(Refusal.invalidTagText(tags)) }
            throw .badRequest("The tag expression is not valid, \(error).")
        }
    }

    private static func properties(_ body: [UInt8]) throws(Refusal) -> [String: String] {
        // Whatever is wrong with the text is said in one way: the service has one answer for it.
        guard let parsed = try? JSONSerialization.jsonObject(with: Data(body)),
            let object = parsed as? [String: Any]
        else { throw .badRequest("The supplied notification payload is invalid: it must be one JSON object.") }
        var properties: [String: String] = [:]
        for (name, value) in object {
            guard let text = value as? String else {
                throw .badRequest("The supplied notification payload is invalid: the value of '\(name)' is no string.")
            }
            properties[name] = text
        }
        return properties
    }

    private static func checkJSON(_ body: [UInt8]) throws(Refusal) {
        do {
            _ = try JSONSerialization.jsonObject(with: Data(body))
        } catch {
            throw .badRequest("The supplied notification payload is invalid: it is no JSON.")
        }
    }
}
