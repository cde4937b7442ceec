import Foundation
import HTTPTransport
import PushModel
import Signing
import Testing
import VectorSupport

@testable import Providers

/// The app and the keys of the vectors, and pushes to it.
enum TestAPNs {
    /// 2023-11-14 22:13:20, as in the vectors.
    static let now = 1_700_000_000.0
    static let device = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
    static let database: UInt64 = 0x0123_4567_89AB_CDEF

    static func apns(
        topic: String? = "com.example.MyApp", environment: APNsEnvironment = .production, endpoint: String? = nil
    ) throws -> APNs {
        try APNs(
            topic: topic, environment: environment, endpoint: endpoint, database: database, version: "1.2.3")
    }

    static func pass(_ number: Int64 = 2, token: String = "eyJ.a.b") -> Pass {
        Pass(
            header: Secret("bearer \(token)"), number: number, expiry: 1_700_003_600, credential: 7, generation: 3)
    }

    static let certificate = Pass(header: nil, number: 4, expiry: 1_800_000_000, credential: 8)

    static func post(
        to target: Target = .handles([device]), _ headers: [(String, String)] = [], expiresAt: Double? = nil,
        payload: String = #"{"aps":{"alert":"Hello"}}"#
    ) -> Post {
        Post(
            messages: [1], target: target, format: "apple",
            headers: headers.map { Post.Header(name: $0.0, value: $0.1) }, body: Array(payload.utf8),
            expiresAt: expiresAt)
    }

    /// Every header line that leaves, by name in lower case; none stands twice.
    static func lines(_ request: Request) throws -> [String: String] {
        var lines: [String: String] = [:]
        for (name, value) in request.shownHeaders {
            #expect(lines.updateValue(value, forKey: name.lowercased()) == nil, "\(name) stands twice")
        }
        return lines
    }

    static func error(_ post: Post, at apns: APNs? = nil, with pass: Pass = pass()) throws -> InvalidPost? {
        let apns = try apns ?? Self.apns()
        do throws(InvalidPost) {
            _ = try apns.request(for: post, id: 1, with: pass)
            return nil
        } catch {
            return error
        }
    }

    static func reply(_ status: Int, _ headers: [(String, String)] = [], reason: String) -> Reply {
        TestFCM.reply(status, headers, text: #"{"reason":"\#(reason)"}"#)
    }

    static func key(_ member: String = "first", keyID: String = "ABC123DEFG", team: String = "DEF123GHIJ") throws
        -> ProviderKey
    {
        let text =
            member == "first"
            ? try Vectors.object("fcm-apns/apns-jwt")["p8_pem"]
            : try Vectors.object("fcm-apns/provider_keys")["second_key"]
        return try ProviderKey(pem: Secret(#require(text as? String)), keyID: keyID, team: team)
    }
}
