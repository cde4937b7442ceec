import Foundation
import VectorSupport

/// Service accounts of the vectors, as the text of their files.
enum TestAccount {
    /// One that is as it should be, but for `changes`.
    static func text(_ changes: [String: Any?] = [:]) throws -> String {
        var members = try Vectors.object("fcm-apns/fcm-oauth")["service_account"] as? [String: Any] ?? [:]
        for (name, value) in changes { members[name] = value }
        let data = try JSONSerialization.data(withJSONObject: members, options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self)
    }

    /// Another key of the same account, but for `changes`.
    static func secondary(_ changes: [String: Any?] = [:]) throws -> String {
        let key = try Vectors.object("fcm-apns/account_keys")["second_account"] as? String
        return try text(["private_key": key, "private_key_id": "fedcba98"].merging(changes) { $1 })
    }

    static let project = "example-project"

    /// A piece of every private key here, which nothing may print.
    static let piece = "BEGIN PRIVATE"
}

extension SettingsFixture {
    /// A settings file with one hub of kind `fcm` that has `members` besides its account.
    static func fcm(_ members: String = "", name: String = "shop", account: String? = nil) throws -> String {
        try #"{"hubs": {"\#(name)": {\#(fcmEntry(members, account: account))}}}"#
    }

    /// The members of such a hub.
    static func fcmEntry(_ members: String = "", account: String? = nil) throws -> String {
        let account = try account ?? TestAccount.text()
        return try #""kind": "fcm", "serviceAccount": \#(json(account))\#(members.isEmpty ? "" : ", ")\#(members)"#
    }

    /// A text as it stands in a JSON file.
    static func json(_ text: String) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: text, options: .fragmentsAllowed), as: UTF8.self)
    }
}
