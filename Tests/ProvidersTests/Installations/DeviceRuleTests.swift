import Foundation
import PushModel
import Testing
import VectorSupport

@testable import Providers

/// Vectors/devices.json: the rules that `push.put_device` and `push.patch_device` check too. (StoreTests reads the
/// same cases.)
@Suite struct DeviceRuleTests {
    private struct Case {
        let id: String
        let members: [String: Any]
        /// The column that the database refuses; nil: the case is taken.
        let column: String?

        func member(_ name: String, or value: Any? = nil) -> Any? { members[name] ?? value }

        /// JSON with the case's templates, which may be broken.
        func json(_ others: [String: Any?]) throws -> [UInt8] {
            var parts = try others.compactMap { name, value in
                try value.map { "\"\(name)\":" + (try text(of: $0)) }
            }
            if let templates = members["templates"] { parts.append("\"templates\":" + (try text(of: templates))) }
            if let templates = members["templates_text"] as? String { parts.append("\"templates\":" + templates) }
            return Array("{\(parts.joined(separator: ","))}".utf8)
        }

        private func text(of json: Any) throws -> String {
            String(
                decoding: try JSONSerialization.data(withJSONObject: json, options: .fragmentsAllowed), as: UTF8.self)
        }
    }

    private static func cases(_ kind: String) throws -> [Case] {
        try Vectors.objects("devices", kind).compactMap { item in
            guard item["only"] == nil else { return nil }
            let refused = item["refused"] as? [String: String]
            return Case(id: try #require(item["id"] as? String), members: item, column: refused?["column"])
        }
    }

    private static func installation(_ item: Case) throws -> InstallationDocument {
        try InstallationDocument(
            json: item.json([
                "installationId": item.member("device", or: "phone-17"),
                "platform": item.member("platform", or: "apns"),
                "pushChannel": item.member("handle", or: "00FC13AD"),
                "userId": item.member("user_id"), "tags": item.member("tags"),
            ]))
    }

    /// By way of the document that the database keeps.
    private static func registration(_ item: Case) throws -> InstallationDocument {
        let document = try item.json([
            "platform": item.member("platform", or: "apns"), "handle": item.member("handle", or: "00FC13AD"),
            "user_id": item.member("user_id"), "tags": item.member("tags"),
        ])
        let registration = try DeviceRegistration(json: String(decoding: document, as: UTF8.self))
        let device = item.member("device", or: "phone-17") as? String ?? ""
        return try InstallationDocument(json: registration.installation(id: device))
    }

    @Test func anInstallationIsTakenOrRefusedAsByTheDatabase() throws {
        let cases = try Self.cases("puts")
        #expect(cases.count > 300 && cases.contains { $0.column == nil })
        for item in cases {
            for (way, read) in [("installation", Self.installation), ("registration", Self.registration)] {
                do {
                    let document = try read(item)
                    #expect(item.column == nil, "\(way) \(item.id) is taken")
                    #expect(document.id == item.member("device", or: "phone-17") as? String, "\(way) \(item.id)")
                } catch {
                    #expect(item.column != nil, "\(way) \(item.id): \(error)")
                    if let handle = item.members["handle"] as? String, handle.count > 8 {
                        #expect(!"\(error)".contains(handle), "\(way) \(item.id)")
                    }
                }
            }
        }
    }

    @Test func whatTheHubGetsIsWhatTheCallSaid() throws {
        for item in try Self.cases("puts") where item.column == nil && item.members["templates_text"] == nil {
            let bytes = try Self.registration(item).bytes
            let sent = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
            #expect(sent["userId"] as? String == item.member("user_id") as? String, "\(item.id)")
            #expect(sent["tags"] as? [String] ?? [] == item.member("tags") as? [String] ?? [], "\(item.id)")
            #expect(
                sent["templates"] as? NSDictionary ?? [:] == item.member("templates") as? NSDictionary ?? [:],
                "\(item.id)")
        }
    }

    @Test func aPatchThatTheDatabaseTakesCanBeSent() throws {
        let cases = try Self.cases("patches")
        #expect(cases.count > 30)
        for item in cases where item.column == nil {
            let document = try item.json(
                ["add_tags", "remove_tags", "handle", "user_id"].reduce(into: [:]) { $0[$1] = item.member($1) })
            let patch = try DevicePatch(json: String(decoding: document, as: UTF8.self)).installationPatch
            _ = try InstallationPatch(checking: patch.changes)
        }
    }
}
