import Foundation
import Testing
import VectorSupport

@testable import PushModel

/// Messages with their targets, as FCM gets them (Tests/Vectors/fcm-apns/fcm-messages.json).
@Suite struct TargetedMessageTests {
    private func read(_ message: String) throws -> TargetedMessage {
        let text = Array(message.utf8)
        return TargetedMessage(try JSONNode(text), in: text)
    }

    @Test func theTargetIsTakenOut() throws {
        let message = try read(#"{ "token" : "t", "data":{"k": "v"} , "topic":"x" }"#)
        #expect(message.targets.map(\.name) == ["token", "topic"])
        #expect(message.payload == #"{"message":{"data":{"k": "v"}}}"#)
        #expect(message.fault == nil && message.size == #"{"message":{"data":{"k":"v"}}}"#.utf8.count)
        #expect(try read("7").fault?.path == "message")
    }

    @Test func theVectorsAreJudgedAsTheirRuleSays() throws {
        func all(_ list: String, _ member: String) throws -> [(name: String, fault: TargetedMessage.Fault?)] {
            try Vectors.objects("fcm-apns/fcm-messages", list).map { object in
                let data = try JSONSerialization.data(withJSONObject: try #require(object[member]))
                return (object["name"] as? String ?? "", try read(String(decoding: data, as: UTF8.self)).fault)
            }
        }
        for (name, fault) in try all("valid", "message") { #expect(fault == nil, "\(name): \(fault as Any)") }
        // Who is meant is not a rule of the payload.
        let others = ["no_target", "topic_nested_prefix"]
        for (name, fault) in try all("invalid", "input") where !others.contains(name) {
            #expect(fault != nil, "\(name)")
        }
    }

    @Test(arguments: [
        (#"{"apns":{"payload":{"aps":{"alert":"x","bagde":1}}}}"#, nil),
        (#"{"apns":{"payload":{"aps":{"alert":{"titleLocKey":"x"}}}}}"#, nil),
        (#"{"apns":{"payload":{"aps":{"alert":{"loc-args":["x"]}}}}}"#, "message.apns.payload.aps.alert.loc-args"),
        (#"{"notification":{"title_loc_key":"x"}}"#, "message.notification.title_loc_key"),
        (#"{"android":{"ttl":"9000000s"}}"#, "message.android.ttl"),
    ])
    func whatOnlyThePhoneIgnoresIsPassedOn(message: String, path: String?) throws {
        #expect(try read(message).fault?.path == path)
    }

    @Test func whatSaysHowItIsDeliveredDoesNotCount() throws {
        let plain = try read("{}").size
        #expect(try read(#"{"android":{},"apns":{},"webpush":{}}"#).size == plain)
        let message =
            #"{"android":{"ttl":"60s"},"apns":{"headers":{"apns-expiration":"0"}},"webpush":{"headers":{"TTL":"0"}}}"#
        #expect(try read(message).size == plain)
        let data = try read(#"{"android":{"data":{}}}"#).size
        #expect(try read(#"{"android":{"data":{"ttl":"60s"}}}"#).size == data + #""ttl":"60s""#.utf8.count)
        #expect(data == #"{"message":{"android":{"data":{}}}}"#.utf8.count)
        let other = #"{"fcm_options":{}}"#
        #expect(try read(other).size == #"{"message":{"fcm_options":{}}}"#.utf8.count)
    }

    /// A row is measured as it was written, and must not grow on its way.
    @Test(arguments: [
        #"{"data":{"k":"a\nb\t\"\\/\r\b\f\u0001\u00e9é"}}"#, #"{ "data" : { "k" : "v" } }"#,
        #"{"android":{"ttl":"60s","priority":"high"},"data":{"k":"\n\n\n\n"}}"#,
    ])
    func itIsNeverMoreThanWasWritten(_ message: String) throws {
        #expect(try read(message).size <= #"{"message":}"#.utf8.count + message.utf8.count)
    }
}
