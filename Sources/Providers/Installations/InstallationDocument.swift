import Foundation
import PushModel

/// One installation in the service's JSON, checked as far as the document alone allows.
///
/// Sent byte for byte: the service judges fields that we do not know.
public struct InstallationDocument: Sendable, Equatable {
    public let id: String
    public let platform: String
    /// UTF-8.
    public let bytes: [UInt8]

    /// In the service's spelling; it ignores case.
    public static let platforms = ["apns", "wns", "mpns", "adm", "gcm", "baidu", "browser", "fcmV1", "xiaomi"]

    /// - Throws: `InvalidInstallation` with the first field that breaks a rule.
    public init(json bytes: some Collection<UInt8>) throws(InvalidInstallation) {
        let members = try Self.object(bytes)
        id = try Self.text("installationId", of: members)
        guard !id.isEmpty else { throw .id("it is empty") }
        let platform = try Self.text("platform", of: members)
        guard let known = Self.platforms.first(where: { $0.lowercased() == platform.lowercased() }) else {
            throw .field("platform", "it must be one of \(Self.platforms.joined(separator: ", "))")
        }
        self.platform = known
        try Self.checkChannel(members["pushChannel"], platform: known)
        if let user = members["userId"], !(user is NSNull), !(user is String) {
            throw .field("userId", "it is not a text")
        }
        try Self.checkTags(members["tags"], "tags")
        try Self.checkTemplates(members["templates"])
        self.bytes = Array(bytes)
    }

    private static func object(_ bytes: some Collection<UInt8>) throws(InvalidInstallation) -> [String: Any] {
        do {
            if let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] { return object }
        } catch {
            let place = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
            throw .json("it is not a JSON object" + (place.map { ": \($0)" } ?? ""))
        }
        throw .json("it is not a JSON object")
    }

    private static func text(_ name: String, of members: [String: Any]) throws(InvalidInstallation) -> String {
        guard let value = members[name] else { throw .field(name, "it is missing") }
        guard let text = value as? String else { throw .field(name, "it is not a text") }
        return text
    }

    private static func checkChannel(_ channel: Any?, platform: String) throws(InvalidInstallation) {
        guard let channel else { throw .field("pushChannel", "it is missing") }
        if platform == "browser" {
            guard let parts = channel as? [String: Any],
                ["endpoint", "p256dh", "auth"].allSatisfy({ (parts[$0] as? String)?.isEmpty == false })
            else { throw .field("pushChannel", "a browser has an object with endpoint, p256dh and auth") }
            return
        }
        guard let handle = channel as? String else { throw .field("pushChannel", "it is not a text") }
        guard !handle.isEmpty else { throw .field("pushChannel", "it is empty") }
        if platform == "apns", !handle.utf8.count.isMultiple(of: 2) || !handle.allSatisfy(\.isHexDigit) {
            throw .field("pushChannel", "apns has an even number of hex digits")
        }
    }

    private static func checkTags(_ tags: Any?, _ path: String) throws(InvalidInstallation) {
        guard let tags, !(tags is NSNull) else { return }
        guard let tags = tags as? [String] else { throw .field(path, "it is not a list of texts") }
        for (index, tag) in tags.enumerated() {
            do throws(TagError) {
                _ = try Tag(tag)
            } catch {
                throw .field("\(path)[\(index)]", "\(error)")
            }
        }
    }

    private static func checkTemplates(_ templates: Any?) throws(InvalidInstallation) {
        guard let templates, !(templates is NSNull) else { return }
        guard let templates = templates as? [String: Any] else { throw .field("templates", "it is not an object") }
        for (name, template) in templates.sorted(by: { $0.key < $1.key }) {
            let path = "templates.\(name)"
            guard !name.isEmpty, name.count <= 200 else {
                throw .field("templates", "a template's name has 1 to 200 characters")
            }
            guard let template = template as? [String: Any] else { throw .field(path, "it is not an object") }
            guard let body = template["body"] as? String, !body.isEmpty else {
                throw .field("\(path).body", "it is missing or not a text")
            }
            if let headers = template["headers"], !(headers is NSNull), !(headers is [String: String]) {
                throw .field("\(path).headers", "it is not an object of texts")
            }
            try checkTags(template["tags"], "\(path).tags")
        }
    }
}
