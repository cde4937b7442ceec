import ProgramSupport
import Foundation
import Testing

/// `fanfare config schema` against files that are right and files that are not, with as much of a validator as it needs.
@Suite struct ConfigSchemaTests {
    private func problems(_ text: String) async throws -> [String] {
        let schema = try await BuiltProgram(settings: nil)("config", "schema").json([String: Any].self)
        return Self.problems(try JSONSerialization.jsonObject(with: Data(text.utf8)), schema, at: "")
    }

    private static func problems(_ value: Any, _ schema: [String: Any], at path: String) -> [String] {
        var found: [String] = []
        let isFlag = (value as? NSNumber).map { isBoolean(of: $0) } ?? false
        switch schema["type"] as? String {
        case "object":
            guard let object = value as? [String: Any] else { return ["\(path) is no object"] }
            let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
            let names = (schema["propertyNames"] as? [String: Any])?["pattern"] as? String
            for (name, member) in object {
                let place = "\(path).\(name)"
                if let names, !matches(name, names) { found.append("\(place) is no name") }
                if let below = properties[name] ?? schema["additionalProperties"] as? [String: Any] {
                    found += problems(member, below, at: place)
                } else {
                    found.append("\(place) is unknown")
                }
            }
            for condition in schema["allOf"] as? [[String: [String: Any]]] ?? [] {
                found += problems(object, where: condition, at: path)
            }
        case "integer":
            guard let number = value as? Int, !isFlag else { return ["\(path) is no number"] }
            if number < schema["minimum"] as? Int ?? .min || number > schema["maximum"] as? Int ?? .max {
                found.append("\(path) is out of range")
            }
        case "boolean": if !isFlag { found.append("\(path) is no flag") }
        case "string":
            guard let text = value as? String else { return ["\(path) is no text"] }
            if let pattern = schema["pattern"] as? String, !matches(text, pattern) { found.append("\(path) is odd") }
        default:
            if (schema["enum"] as? [String])?.contains(value as? String ?? "") != true {
                found.append("\(path) is no choice")
            }
        }
        return found
    }

    /// The one form of condition that the schema has: `if` some members are certain words, others are not allowed.
    private static func problems(
        _ object: [String: Any], where condition: [String: [String: Any]], at path: String
    ) -> [String] {
        let constants = condition["if"]?["properties"] as? [String: [String: String]] ?? [:]
        let required = condition["if"]?["required"] as? [String] ?? []
        guard required.allSatisfy({ object[$0] != nil }),
            constants.allSatisfy({ object[$0.key] == nil || object[$0.key] as? String == $0.value["const"] })
        else { return [] }
        let refused = condition["then"]?["properties"] as? [String: Bool] ?? [:]
        return object.keys.filter { refused[$0] == false }.sorted().map { "\(path).\($0) is of another kind" }
    }

    private static func isBoolean(of number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }

    private static func matches(_ text: String, _ pattern: String) -> Bool {
        guard let regex = try? Regex(pattern) else { return false }
        return text.contains(regex)
    }

    @Test func theConfigurationOfThisRepositoryKeepsIt() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../config.json")
        #expect(try await problems(try String(contentsOf: file, encoding: .utf8)) == [])
    }

    @Test func aHubOfEachKindMayHaveItsKeys() async throws {
        let text = #"""
            {"hubs": {
              "news": {"connectionString": "x", "deviceWindow": 4, "window": 9},
              "shop": {"kind": "fcm", "serviceAccount": "x", "project": "p-1", "tags": "topics", "broadcastTopic": "all",
                       "unavailable": "doubt", "rampSeconds": 60, "endpoint": "http://127.0.0.1:8099", "window": 9}}}
            """#
        #expect(try await problems(text) == [])
    }

    @Test func thePagesOfTheConsoleMayHaveTheirKeys() async throws {
        let text = #"""
            {"console": {
              "pages": "[::1]:9470", "name": "production", "basePath": "/pushes", "hosts": "push.example.com, [::1]:8443",
              "databaseURL": "postgresql://x", "proxies": "10.0.0.0/8,fd00::1", "userHeader": "X-User", "readOnly": true,
              "statementSeconds": 5,
              "users": {"Ana María": {"may": "look, approve", "password": "x"}, "ana@example.com": {}}}}
            """#
        #expect(try await problems(text) == [])
    }

    @Test(arguments: [
        (#"{"console": {"pages": "127.0.0.1:1,127.0.0.1:2"}}"#, ".console.pages is odd"),
        (#"{"console": {"basePath": "/a/"}}"#, ".console.basePath is odd"),
        (#"{"console": {"proxies": "proxy.example"}}"#, ".console.proxies is odd"),
        (#"{"console": {"hosts": "https://x"}}"#, ".console.hosts is odd"),
        (#"{"console": {"users": {"ana ": {}}}}"#, ".console.users.ana  is no name"),
        (#"{"console": {"users": {"ana": {"may": "look operate"}}}}"#, ".console.users.ana.may is odd"),
        (#"{"console": {"users": {"ana": {"maj": "look"}}}}"#, ".console.users.ana.maj is unknown"),
        (#"{"dispatch": {"batch": 0}}"#, ".dispatch.batch is out of range"),
        (#"{"dispatch": {"batch": true}}"#, ".dispatch.batch is no number"),
        (#"{"dispatch": {"bacth": 1}}"#, ".dispatch.bacth is unknown"),
        (#"{"hubs": {"News": {}}}"#, ".hubs.News is no name"),
        (#"{"hubs": {"news": {"localization": "both"}}}"#, ".hubs.news.localization is no choice"),
        (#"{"hubs": {"news": {"packTags": 1}}}"#, ".hubs.news.packTags is no flag"),
        (#"{"hubs": {"news": {"languages": {"fr": "a b"}}}}"#, ".hubs.news.languages.fr is odd"),
        (#"{"console": {"listen": "everywhere"}}"#, ".console.listen is odd"),
        (#"{"console": {"metrics": "9465"}}"#, ".console.metrics is odd"),
        (#"{"hubs": {"shop": {"kind": "gcm"}}}"#, ".hubs.shop.kind is no choice"),
        (
            #"{"hubs": {"shop": {"kind": "fcm", "connectionString": "x"}}}"#,
            ".hubs.shop.connectionString is of another kind"
        ),
        (#"{"hubs": {"news": {"tags": "topics"}}}"#, ".hubs.news.tags is of another kind"),
        (
            #"{"hubs": {"news": {"kind": "notification-hubs", "serviceAccount": "x"}}}"#,
            ".hubs.news.serviceAccount is of another kind"
        ),
        (
            #"{"hubs": {"shop": {"kind": "fcm", "endpoint": "http://fcm.example"}}}"#, ".hubs.shop.endpoint is odd"
        ),
    ])
    func whatTheCheckRefusesTheSchemaRefuses(text: String, problem: String) async throws {
        #expect(try await problems(text) == [problem])
        let scratch = try ScratchDirectory()
        let ended = try await BuiltProgram(settings: try scratch.write(text, to: "config.json"))("config", "check")
        #expect(ended.status == 78)
    }
}
