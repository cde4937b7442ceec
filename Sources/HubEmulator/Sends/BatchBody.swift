import Foundation
import PushModel

/// The body of a batch direct send: one payload, and its handles (docs/wire/notification-hubs.md, "Sends").
struct BatchBody: Sendable {
    let payload: [UInt8]
    /// The `Content-Type` of the payload's part; nil: absent.
    let payloadType: String?
    let handles: [String]

    /// Most handles of a batch.
    static let handleLimit = HubKind.notificationHubs.facts.handles
    /// Most bytes of one handle. Our own limit; the longest known handles are web push addresses.
    static let handleSize = 4_096
    /// The largest payload, the most and longest handles, and the multipart syntax around them.
    static let sizeLimit = HubKind.notificationHubs.facts.bodyBytes + handleLimit * (handleSize + 8) + 4_096

    /// - Parameter type: the request's `Content-Type`.
    /// - Throws: the service's 400 when a part is missing or wrong; 413 for a payload that is too large. The texts are
    ///   ours.
    init(_ body: [UInt8], type: ContentType?) throws(ServiceError) {
        // Go's client writes form-data (docs/wire/notification-hubs.md, "Sends").
        guard let type, ["multipart/mixed", "multipart/form-data"].contains(type.media) else {
            throw .badRequest("A batch send needs the Content-Type multipart/mixed.")
        }
        guard let boundary = type.parameters["boundary"] else {
            throw .badRequest("The Content-Type of a batch send has no boundary.")
        }
        let parts = try Self.parts(body, boundary)
        guard let notification = parts["notification"] else {
            throw .badRequest("The part named notification is missing.")
        }
        guard let devices = parts["devices"] else { throw .badRequest("The part named devices is missing.") }
        guard notification.content.count <= HubKind.notificationHubs.facts.bodyBytes else { throw .tooLarge }
        payload = notification.content
        payloadType = notification.headers["content-type"]
        guard devices.headers["content-type"].flatMap({ ContentType($0) })?.media == "application/json" else {
            throw .badRequest("The part named devices needs the Content-Type application/json.")
        }
        handles = try Self.handles(devices.content)
    }

    /// By name.
    private static func parts(_ body: [UInt8], _ boundary: String) throws(ServiceError) -> [String: MultipartBody.Part]
    {
        var named: [String: MultipartBody.Part] = [:]
        let multipart: MultipartBody
        do throws(MultipartBody.Fault) {
            multipart = try MultipartBody(body, boundary: boundary)
        } catch {
            throw .badRequest(error.text)
        }
        for part in multipart.parts {
            guard let name = Self.name(of: part) else {
                throw .badRequest("A part needs the header Content-Disposition: inline; name=notification or devices.")
            }
            guard name == "notification" || name == "devices" else {
                throw .badRequest("A batch send has no part named \(name).")
            }
            guard named.updateValue(part, forKey: name) == nil else {
                throw .badRequest("The part named \(name) occurs twice.")
            }
        }
        return named
    }

    private static func name(of part: MultipartBody.Part) -> String? {
        guard var rest = part.headers["content-disposition"]?[...],
            ContentType.token(&rest)?.lowercased() == "inline",
            let parameters = ContentType.parameters(&rest), rest.isEmpty
        else { return nil }
        return parameters["name"]
    }

    private static func handles(_ json: [UInt8]) throws(ServiceError) -> [String] {
        guard let handles = (try? JSONSerialization.jsonObject(with: Data(json))) as? [String] else {
            throw .badRequest("The part named devices is not a JSON array of strings.")
        }
        guard (1...handleLimit).contains(handles.count) else {
            throw .badRequest("A batch send takes 1 to \(handleLimit) devices, not \(handles.count).")
        }
        for handle in handles { try check(handle) }
        return handles
    }

    static func check(_ handle: String) throws(ServiceError) {
        guard !handle.isEmpty, handle.utf8.count <= handleSize else {
            throw .badRequest("A device handle has 1 to \(handleSize) characters.")
        }
    }
}
