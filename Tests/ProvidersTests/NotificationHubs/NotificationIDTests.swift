import Testing
import VectorSupport

@testable import Providers

@Suite struct NotificationIDTests {
    @Test func everyLocationOfTheVectorsHasItsId() throws {
        struct File: Decodable {
            struct Case: Decodable {
                let location: String
                let id: String?
            }
            let cases: [Case]
        }
        let cases = try Vectors.read("locations", as: File.self).cases
        #expect(cases.count == 7)
        for vector in cases {
            #expect(NotificationID(location: vector.location)?.text == vector.id, "\(vector.location)")
        }
    }

    @Test func anIdHasUpTo300VisibleCharacters() {
        let long = String(repeating: "x", count: 300)
        #expect(NotificationID(location: "https://h/hub/messages/\(long)")?.text == long)
        #expect(NotificationID(location: "https://h/hub/messages/\(long)x") == nil)
        for id in ["a b", "a\u{1b}[2J", "é"] {
            #expect(NotificationID(location: "https://h/hub/messages/\(id)") == nil)
        }
    }

    @Test(arguments: [
        "sig=abc", "SharedAccessSignature=x", "SharedAccessSignature%20sr%3Dh%26sig%3DQUJD%253D%26se%3D1%26skn%3Dp",
        "SharedAccessSignature+sr=h&sig=QUJD%3d&se=1&skn=p", "QUJDREVG%3D", "QUJDREVG=", "12-34;sig:abc", "\"12-34\"",
    ])
    func aTokenQuotedInALocationIsNotAnId(segment: String) {
        for location in ["https://h/hub/messages/\(segment)", "/\(segment)?api-version=1", "x://\(segment)"] {
            #expect(NotificationID(location: location) == nil)
        }
    }

    @Test func aRelativeLocationIsRead() {
        #expect(NotificationID(location: "/hub/messages/id#x")?.text == "id")
    }
}
