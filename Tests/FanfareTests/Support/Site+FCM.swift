import Foundation
import VectorSupport

extension Site {
    /// Settings with one hub of kind `fcm`.
    ///
    /// - Parameter members: of the hub, besides kind and account; each with a comma behind it.
    static func fcmSettings(url: String, name: String = "shop", hub members: String = "") throws -> String {
        """
        {"database": {"url": "\(url)"},
         "hubs": {"\(name)": {"kind": "fcm", \(members)"serviceAccount": \(try accountInJSON())}}}
        """
    }

    /// The service account of the vectors, as the text of its file.
    static func account() throws -> String {
        let members = try Vectors.object("fcm-apns/fcm-oauth")["service_account"] as? [String: Any] ?? [:]
        let data = try JSONSerialization.data(withJSONObject: members, options: .sortedKeys)
        return String(decoding: data, as: UTF8.self)
    }

    /// The same as a text in a JSON file.
    static func accountInJSON() throws -> String {
        let data = try JSONSerialization.data(withJSONObject: account(), options: .fragmentsAllowed)
        return String(decoding: data, as: UTF8.self)
    }
}
