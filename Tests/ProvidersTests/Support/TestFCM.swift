import Foundation
import HTTPTransport
import PushModel
import Signing
import Testing
import VectorSupport

@testable import Providers

/// The project of the vectors, and posts to it.
enum TestFCM {
    /// 2023-11-14 22:13:20, as in the vectors.
    static let now = 1_700_000_000.0

    static func fcm(
        project: String = "example-project", endpoint: String = FCM.endpoint, broadcastTopic: String? = nil,
        doubtsUnavailable: Bool = false
    ) throws -> FCM {
        try FCM(
            project: project, endpoint: endpoint, broadcastTopic: broadcastTopic, doubtsUnavailable: doubtsUnavailable,
            version: "1.2.3", now: { now })
    }

    static func pass(_ number: Int64 = 2, token: String = "ya29.a") -> Pass {
        Pass(header: Secret("Bearer \(token)"), number: number, expiry: 1_700_003_599)
    }

    static func post(
        to target: Target = .handles(["t"]), expiresAt: Double? = nil, content: String = #"{"message":{}}"#
    ) -> Post {
        var post = Post(messages: [1], target: target, format: "fcmv1", body: Array(content.utf8))
        post.expiresAt = expiresAt
        return post
    }

    static func reply(_ status: Int, _ headers: [(String, String)] = [], body: [UInt8] = []) -> Reply {
        let response = Reply.Response(
            status: status, headers: headers.map { (name: $0.0.lowercased(), value: $0.1) }, body: body)
        return Reply(id: 1, outcome: .answered(response), milliseconds: 12, receivedAt: now)
    }

    static func reply(_ status: Int, _ headers: [(String, String)] = [], text: String) -> Reply {
        reply(status, headers, body: Array(text.utf8))
    }

    /// The body of an error as FCM writes it.
    static func error(_ status: String, code: String? = nil, message: String = "x", details: [[String: Any]] = [])
        -> String
    {
        var details = details
        if let code {
            details.append(["@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": code])
        }
        let error: [String: Any] = ["message": message, "status": status, "details": details]
        // Strings and lists of them are JSON.
        return (try? JSONSerialization.data(withJSONObject: ["error": error])).map {
            String(decoding: $0, as: UTF8.self)
        }
            ?? ""
    }

    static func object(_ bytes: [UInt8]) throws -> NSDictionary {
        try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
    }

    static func text(_ object: Any) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }
}
