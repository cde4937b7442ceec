import PushModel
import Testing

@testable import HubEmulator

@Suite struct AlertTextTests {
    @Test(arguments: [
        (#"{"aps":{"alert":"hello"}}"#, nil, "hello"), (#"{"aps":{"alert":{"title":"t","body":"b"}}}"#, "t", "b"),
        (#"{"message":{"notification":{"title":"t","body":"b"}}}"#, "t", "b"),
        (#"{"message":{"android":{"notification":{"body":"b"}}}}"#, nil, "b"), (#"{"aps":{"alert":""}}"#, nil, ""),
    ])
    func theVisibleTextIsFound(payload: String, title: String?, body: String?) {
        let alert = AlertText(payload: payload)
        #expect(alert?.title == title)
        #expect(alert?.body == body)
        #expect(alert?.isEmpty == ((title ?? "") + (body ?? "")).isEmpty)
    }

    @Test(arguments: [
        "<toast/>", "", "[]", #"{"aps":{"content-available":1}}"#, #"{"aps":{"alert":{"loc-key":"K"}}}"#,
        #"{"message":{"data":{"a":"b"}}}"#, #"{"aps":{"alert":7}}"#,
    ])
    func aPayloadWithoutTextHasNoAlert(payload: String) {
        #expect(AlertText(payload: payload) == nil)
    }
}
