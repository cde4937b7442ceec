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
    public static let platforms = PlatformTemplate.platforms

    /// - Throws: `InvalidInstallation` with the first field that breaks a rule.
    public init(json bytes: some Collection<UInt8>) throws(InvalidInstallation) {
        let members = try Self.object(bytes)
        id = try Self.text("installationId", of: members)
        try Self.checkID(id)
        let platform = try Self.text("platform", of: members)
        guard let known = PlatformTemplate.platform(named: platform) else {
            throw .field("platform", "it must be one of \(Self.platforms.joined(separator: ", "))")
        }
        self.platform = known
        try Self.checkChannel(members["pushChannel"], platform: known)
        try Self.checkUser(members["userId"])
        try Self.checkTags(members["tags"], "tags")
        try Self.checkTemplates(members["templates"], platform: known)
        self.bytes = Array(bytes)
    }

    // The rules of push_internal.wrong_put in migrations/functions/rules/device_changes.sql; one list of cases tests both.

    private static func checkID(_ id: String) throws(InvalidInstallation) {
        // Blanks alone are not an id either: tabs, line ends and spaces.
        guard id.utf8.contains(where: { !(9...13).contains($0) && $0 != 32 }) else { throw .id("it is empty") }
        guard id.utf8.count <= 200 else { throw .id("it has \(id.utf8.count) bytes, 200 are allowed") }
        guard id != ".", id != ".." else { throw .id("it is only dots") }
        guard !id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .id("it has a control character")
        }
    }

    private static func checkUser(_ user: Any?) throws(InvalidInstallation) {
        guard let user, !(user is NSNull) else { return }
        guard let user = user as? String else { throw .field("userId", "it is not a text") }
        guard (1...109).contains(user.utf8.count), user.utf8.allSatisfy({ isUserByte($0) }) else {
            throw .field("userId", "it has 1 to 109 of A-Z a-z 0-9 - _ @ # . : =")
        }
    }

    private static func isUserByte(_ byte: UInt8) -> Bool {
        Tag.isPlain(String(decoding: [byte], as: UTF8.self)) || byte == UInt8(ascii: "=")
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
            // .NET and Java write the object as its JSON text.
            var parts = channel as? [String: Any]
            if let text = channel as? String {
                try checkLength(handle: text)
                guard isJSON(text) else { throw .field("pushChannel", "that of a browser is not JSON") }
                parts = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
            }
            guard let parts,
                ["endpoint", "p256dh", "auth"].allSatisfy({ (parts[$0] as? String)?.isEmpty == false })
            else { throw .field("pushChannel", "a browser has an object with endpoint, p256dh and auth") }
            return
        }
        guard let handle = channel as? String else { throw .field("pushChannel", "it is not a text") }
        guard !handle.isEmpty else { throw .field("pushChannel", "it is empty") }
        try checkLength(handle: handle)
        guard handle.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw .field("pushChannel", "it holds a blank or a character outside printable ASCII")
        }
        if platform == "apns", !handle.utf8.count.isMultiple(of: 2) || !handle.allSatisfy(\.isHexDigit) {
            throw .field("pushChannel", "apns has an even number of hex digits")
        }
        if platform == "wns", !handle.hasPrefix("https://") || handle.utf8.count == 8 {
            throw .field("pushChannel", "wns has an address that begins with https://")
        }
    }

    private static func checkLength(handle: String) throws(InvalidInstallation) {
        guard handle.utf8.count <= 4096 else {
            throw .field("pushChannel", "it has \(handle.utf8.count) bytes, 4,096 are allowed")
        }
    }

    private static func checkTags(_ tags: Any?, _ path: String) throws(InvalidInstallation) {
        guard let tags, !(tags is NSNull) else { return }
        guard let tags = tags as? [String] else { throw .field(path, "it is not a list of texts") }
        guard tags.count <= 60 else { throw .field(path, "it has \(tags.count) tags, 60 are allowed on one device") }
        for (index, tag) in tags.enumerated() {
            do throws(TagError) {
                _ = try Tag(tag)
            } catch {
                throw .field("\(path)[\(index)]", "\(error)")
            }
        }
    }

    private static func checkTemplates(_ templates: Any?, platform: String) throws(InvalidInstallation) {
        guard let templates, !(templates is NSNull) else { return }
        guard let templates = templates as? [String: Any] else { throw .field("templates", "it is not an object") }
        for (name, template) in templates.sorted(by: { $0.key < $1.key }) {
            let path = "templates.\(name)"
            guard (1...200).contains(name.unicodeScalars.count) else {
                throw .field("templates", "a template's name has 1 to 200 characters")
            }
            guard let template = template as? [String: Any] else { throw .field(path, "it is not an object") }
            if let odd = template.keys.sorted().first(where: { !templateMembers.contains($0) }) {
                throw .field("\(path).\(odd)", "it is unknown; there are body, headers, tags and expiry")
            }
            guard let body = template["body"] as? String, !body.isEmpty else {
                throw .field("\(path).body", "it is missing or not a text")
            }
            try check(body: body, path, platform: platform)
            if let headers = template["headers"], !(headers is NSNull), !(headers is [String: String]) {
                throw .field("\(path).headers", "it is not an object of texts")
            }
            if let expiry = template["expiry"], !(expiry is NSNull), !(expiry is String) {
                throw .field("\(path).expiry", "it is not a text")
            }
            try checkTags(template["tags"], "\(path).tags")
        }
    }

    private static let templateMembers: Set = ["body", "headers", "tags", "expiry"]

    private static func check(body: String, _ path: String, platform: String) throws(InvalidInstallation) {
        if platform == "wns" || platform == "mpns" {
            guard XMLOutline(body) != nil else { throw .field("\(path).body", "it is not XML") }
        } else {
            guard isJSON(body) else { throw .field("\(path).body", "it is not JSON") }
        }
    }

    /// Whether a text is JSON, nested at most 64 levels deep and without the character NUL: as push_internal.wrong_json.
    private static func isJSON(_ text: String) -> Bool {
        guard let node = try? JSONNode(Array(text.utf8)) else { return false }
        return !holdsNUL(node.value)
    }

    private static func holdsNUL(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): text.utf8.contains(0)
        case .array(let nodes): nodes.contains { holdsNUL($0.value) }
        case .object(let members): members.contains { $0.name.utf8.contains(0) || holdsNUL($0.node.value) }
        case .number, .bool, .null: false
        }
    }
}
