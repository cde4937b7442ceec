import Testing

@testable import PushModel

@Suite struct PlatformPayloadTests {
    @Test(
        arguments: [
            ("apple", #"{"aps":{"alert":"x"}}"#, nil), ("apple", #"{"alert":"x"}"#, "aps is missing"),
            ("apple", #"{"aps":{"badge":"1"}}"#, "aps.badge"), ("apple", "[]", "it is an array, not an object"),
            ("apple", "{", "it is not JSON"), ("fcmv1", #"{"message":{"data":{"a":"b"}}}"#, nil),
            ("fcmv1", #"{"notification":{"title":"x"}}"#, "message is missing"),
            ("fcmv1", #"{"message":{"data":{"a":1}}}"#, "every value in message.data is a string"),
            ("apple", #"{"aps":{"alrt":"x"}}"#, "aps.alrt is unknown to Apple"),
            ("apple", #"{"aps":{"alert":"x","mine":1}}"#, "aps.mine is unknown to Apple"),
            ("fcmv1", #"{"message":{"notification":{"sound":"x"}}}"#, "message.notification.sound is unknown to FCM"),
            ("gcm", #"{"data":{"a":"b"}}"#, nil), ("gcm", #"{"notification":{}}"#, nil),
            ("gcm", #"{"message":{"data":{}}}"#, "it has message, as in the format fcmv1"),
            ("gcm", "{}", "it has neither data nor notification"), ("adm", #"{"data":{"a":"b"}}"#, nil),
            ("adm", #"{"a":"b"}"#, "data is missing"), ("baidu", "", nil), ("browser", "x", nil), ("xiaomi", "[]", nil),
            ("windows", "<toast/>", nil),
            ("windows", "<note/>", "it has a root element other than toast, tile and badge"),
            ("windows", "{}", "it is not XML"), ("windows", "<toast>a & b</toast>", "it is not an XML document"),
            ("windowsphone", "<wp:Notification xmlns:wp='WPNotification'/>", nil),
            ("windowsphone", "<toast/>", "not wp:Notification"), ("windowsphone", "x", "it is not an XML document"),
        ] as [(String, String, String?)])
    func everyPlatformHasItsShape(format: String, payload: String, fault: String?) {
        let found = PlatformPayload.fault(in: payload, format: format)
        #expect(found.map { text in fault.map(text.contains) ?? false } ?? (fault == nil), "\(found ?? "nothing")")
    }

    @Test func headersSayWhatWindowsGets() {
        #expect(PlatformPayload.fault(in: "bytes", format: "windows", headers: ["X-WNS-Type": "wns/raw"]) == nil)
        let fault = PlatformPayload.fault(in: "<tile/>", format: "windows", headers: ["x-wns-type": "wns/toast"])
        #expect(fault == "it has another root element than the header X-WNS-Type says")
        #expect(PlatformPayload.fault(in: "x", format: "windowsphone", headers: ["X-NotificationClass": "3"]) == nil)
    }
}
