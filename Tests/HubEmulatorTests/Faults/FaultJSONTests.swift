import Foundation
import Testing

@testable import HubEmulator

/// The JSON form of faults.
@Suite struct FaultJSONTests {
    @Test(arguments: [
        #"{"every":1,"status":503}"#, #"{"hub":"news","nth":3,"retryAfter":5,"status":429}"#,
        #"{"next":10,"retryAfterDate":60,"status":429,"html":true}"#,
        #"{"probability":0.25,"seed":7,"status":403,"retryAfterMs":1500}"#,
        #"{"every":2,"close":"after-body","reset":true,"taken":true,"delayMs":20}"#,
        #"{"operation":["installation","registration"],"status":500}"#,
        #"{"operation":"send","tag":"a","nth":1,"status":410}"#,
        #"{"rate":5}"#, #"{"rate":0.5,"burst":3,"status":403}"#, #"{"rate":5,"close":"after-body"}"#,
        #"{"delayMs":5,"delayUpToMs":9,"seed":4}"#, #"{"probability":0.5,"seed":4,"delayUpToMs":9}"#,
        #"{"skewSeconds":-3600}"#, #"{"rotated":"both","hub":"news"}"#, #"{"status":429,"retryAfterPlainMs":9}"#,
        #"{"every":1,"status":500,"close":"after-head","reset":true}"#,
        #"{"operation":["fcm","fcmToken"],"status":401,"errorCode":"THIRD_PARTY_AUTH_ERROR"}"#,
        #"{"every":1,"status":500,"close":"mid-answer"}"#, #"{"every":1,"status":500,"trickleMs":5}"#,
    ])
    func everyFaultSurvivesARoundTrip(json: String) throws {
        let faults = try Fault.list(json: Array(json.utf8))
        #expect(faults.count == 1)
        let again = try Fault.list(json: Array(try Self.encode(faults).utf8))
        #expect(again == faults)
    }

    @Test(arguments: [
        (#"{"status":503,"stauts":1}"#, "unknown key stauts"), (#"{"nth":0,"status":503}"#, "nth must be 1 or more"),
        (#"{"nth":1,"every":2,"status":503}"#, "only one of nth, every"), (#"{"every":1}"#, "needs one of status"),
        (#"{"status":99}"#, "status must be 200 to 599"), (#"{"status":"503"}"#, "status has the wrong type"),
        (#"{"close":"later"}"#, #"close must be one of "before-body""#),
        (#"{"close":"before-body","status":500}"#, "does not go with a status"),
        (#"{"close":"before-body","taken":true}"#, "the hub has read nothing"),
        (#"{"close":"mid-answer"}"#, "needs a status"), (#"{"delayMs":-1}"#, "delayMs must be 0 to 600000"),
        (#"{"delayMs":5,"taken":true}"#, "taken needs"),
        (#"{"probability":2,"status":500}"#, "probability must be 0 to 1"),
        (#"{"seed":2,"status":500}"#, "seed needs probability"),
        (#"{"errorCode":"INTERNAL","delayMs":1}"#, "errorCode needs a status"),
        (#"{"retryAfter":1,"delayMs":1}"#, "retryAfter needs a status"),
        (#"{"retryAfter":1,"retryAfterMs":1,"status":429}"#, "only one of retryAfter, retryAfterMs"),
        (#"{"operation":"sned","status":500}"#, #"operation must be one of "send", "direct""#),
        (#"{"operation":[],"status":500}"#, "operation must not be empty"),
        (#"{"tag":"","status":500}"#, "tag must not be empty"), (#"{"burst":2,"status":500}"#, "burst needs rate"),
        (#"{"rate":0}"#, "rate must be 0.001"), (#"{"rate":1,"burst":0}"#, "burst must be 1 to"),
        (#"{"delayMs":9,"delayUpToMs":5}"#, "delayUpToMs must not be below"),
        (#"{"skewSeconds":1e12}"#, "skewSeconds must be"),
        (#"{"rotated":"all"}"#, #"rotated must be one of "primary""#),
        (#"{"close":"after-head"}"#, "needs a status"),
        (#"[{"status":500},{"status":1}]"#, "[1]: status must be"), ("{", "not JSON"),
        ("7", "the document has the wrong type"),
        ("", "not JSON"),
    ])
    func anInvalidFaultSaysWhy(json: String, reason: String) {
        let error = #expect(throws: EmulatorError.self) { try Fault.list(json: Array(json.utf8)) }
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    private static func encode(_ faults: [Fault]) throws -> String {
        String(decoding: try JSONEncoder().encode(faults), as: UTF8.self)
    }
}
