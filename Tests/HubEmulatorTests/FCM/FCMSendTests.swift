import Foundation
import Testing
import VectorSupport

@testable import HubEmulator

/// Bodies of sends (Tests/Vectors/fcm-apns/fcm-messages.json).
@Suite struct FCMSendTests {
    private static func messages(_ list: String, _ member: String) -> [(name: String, body: [UInt8])] {
        let objects = (try? Vectors.objects("fcm-apns/fcm-messages", list)) ?? []
        return objects.compactMap { object in
            guard let name = object["name"] as? String, let message = object[member],
                let body = try? JSONSerialization.data(withJSONObject: ["message": message])
            else { return nil }
            return (name, Array(body))
        }
    }

    static let valid = messages("valid", "message")
    static let invalid = messages("invalid", "input")

    @Test(arguments: valid) func aValidMessageIsTaken(name: String, body: [UInt8]) throws {
        let send = try FCMSend(body)
        #expect(!send.isTrial && !send.payload.contains("\"token\"") && !send.payload.contains("\"topic\""))
        let payload = try JSONSerialization.jsonObject(with: Data(send.payload.utf8)) as? [String: Any]
        #expect(payload?["message"] != nil)
    }

    @Test(arguments: invalid) func anInvalidMessageIsRefused(name: String, body: [UInt8]) throws {
        let error = try #require(throws: FCMError.self) { try FCMSend(body) }
        #expect(error.status == 400 && error.code == "INVALID_ARGUMENT")
        #expect(error.violations.count == 1 && error.violations[0].field.hasPrefix("message"), "\(error)")
    }

    @Test func allCasesAreThere() { #expect(Self.valid.count == 14 && Self.invalid.count == 18) }

    private func refusal(_ body: String) -> String? {
        do throws(FCMError) {
            _ = try FCMSend(Array(body.utf8))
            return nil
        } catch {
            return "\(error.violations.first?.field ?? "-"): \(error.message)"
        }
    }

    @Test(arguments: [
        ("", ": Invalid JSON payload received."), ("[]", ": The body is no JSON object."),
        ("{}", "message: The message is not set."),
        (
            #"{"message":{"token":"t"},"x":1}"#,
            #": Invalid JSON payload received. Unknown name "x": Cannot find field."#
        ),
        (#"{"message":{"token":"t"},"validate_only":"true"}"#, "validate_only: validate_only is true or false."),
        (#"{"message":{"data":{"a":"b"}}}"#, "message: Recipient of the message is not set."),
        (
            #"{"message":{"token":"t","topic":"x"}}"#,
            "message: Invalid value (oneof), oneof field 'target' is already set. Cannot set 'topic'"
        ),
        (
            #"{"message":{"token":"a b"}}"#,
            "message.token: The registration token is not a valid FCM registration token"
        ),
        (#"{"message":{"token":7}}"#, "message.token: message.token is no string."),
        (#"{"message":{"fid":""}}"#, "message.fid: The registration token is not a valid FCM registration token"),
        (
            #"{"message":{"topic":"a b"}}"#,
            "message.topic: Invalid topic name: it has letters, digits, -, _, ., ~ and %."
        ),
        (
            #"{"message":{"token":"t","android":{"ttl":3600}}}"#,
            "message.android.ttl: message.android.ttl is a JSON number, not a string. Put it in quotation marks."
        ),
        (
            #"{"message":{"token":"t","android":{"notification":{"title_loc_key":"k","title_loc_args":["a",3]}}}}"#,
            "message.android.notification.title_loc_args[1]: message.android.notification.title_loc_args[1] is a JSON "
                + #"number; arguments are strings. A number is written "3"."#
        ),
    ])
    func aRefusalNamesTheField(body: String, text: String) { #expect(refusal(body) == text) }

    @Test func sixTopicsAreTooMany() throws {
        let condition = (0..<6).map { "'t\($0)' in topics" }.joined(separator: " && ")
        let text = try #require(refusal(#"{"message":{"condition":"\#(condition)"}}"#))
        #expect(text.hasPrefix("message.condition: Invalid condition") && text.contains("more than 5"))
    }

    /// FCM passes on what it does not know inside `aps`; the phone ignores it.
    @Test func whatOnlyThePhoneWouldNotKnowIsTaken() {
        #expect(refusal(#"{"message":{"token":"t","apns":{"payload":{"aps":{"alert":"x","bagde":1}}}}}"#) == nil)
        #expect(refusal(#"{"message":{"token":"t","bagde":1}}"#) != nil)
    }

    @Test(arguments: [
        (#"{"message":{"topic":"Tech"}}"#, "Tech"), (#"{"message":{"topic":"/topics/Tech"}}"#, "Tech"),
        (#"{"message":{"condition":"'a' in topics || 'b' in topics"}}"#, "'a' in topics || 'b' in topics"),
    ])
    func theJournalShowsTopicsAsTheyAre(body: String, topics: String) throws {
        #expect(try FCMSend(Array(body.utf8)).topics == topics)
    }

    @Test func anInstallationIDIsAHandleOfItsOwn() throws {
        #expect(try FCMSend(Array(#"{"message":{"fid":"abc"}}"#.utf8)).target == .handle("fid:abc"))
        #expect(FCMSend.field(of: "fid:abc") == "message.fid" && FCMSend.field(of: "abc") == "message.token")
    }

    /// White space and what says how it is delivered do not count.
    @Test func theSizeIsThatOfThePayload() throws {
        func size(_ message: String) throws -> Int {
            try FCMSend(Array(#"{"message":\#(message)}"#.utf8)).size
        }
        let plain = try size(#"{"token":"t","data":{"k":"v"}}"#)
        #expect(plain == #"{"message":{"data":{"k":"v"}}}"#.utf8.count)
        #expect(try size(#"{ "token" : "other" ,  "data" : { "k" : "v" } }"#) == plain)
        let android = try size(#"{"token":"t","android":{}}"#)
        #expect(try size(#"{"token":"t","android":{"ttl":"60s"}}"#) == android)
        let most = 4_096 - plain + 1
        let fitting = #"{"message":{"topic":"x","data":{"k":"\#(String(repeating: "v", count: most))"}}}"#
        #expect(try FCMSend(Array(fitting.utf8)).size == 4_096)
        #expect(refusal(fitting.replacing("vv\"", with: "vvv\""))?.contains("4097 bytes") == true)
    }
}
