import Testing
import VectorSupport

@testable import Providers

@Suite struct HubErrorTests {
    private func parse(_ body: String) -> HubError { HubError(body: Array(body.utf8)) }

    @Test func everyBodyOfTheVectorsIsUnderstood() throws {
        struct File: Decodable {
            struct Case: Decodable {
                struct Expectation: Decodable {
                    let code: String
                    let detail: String
                    let trackingId: String?
                    let timestamp: String?
                    let subcode: String?
                    let errorName: String?
                }
                let id: String
                let body: String
                let expect: Expectation
            }
            let cases: [Case]
        }
        let cases = try Vectors.read("errors", as: File.self).cases
        #expect(cases.count == 9)
        for vector in cases {
            let error = parse(vector.body)
            #expect(error.code == vector.expect.code, "\(vector.id)")
            #expect(error.detail == vector.expect.detail, "\(vector.id)")
            #expect(error.tracking == vector.expect.trackingId, "\(vector.id)")
            #expect(error.timestamp == vector.expect.timestamp, "\(vector.id)")
            #expect(error.subcode == vector.expect.subcode, "\(vector.id)")
            #expect(error.name == vector.expect.errorName, "\(vector.id)")
        }
    }

    @Test(arguments: ["", " ", "<Error>", "<Error", "<Error><Detail", "{}", "\u{0}", "<html></html>"])
    func aForeignBodyLeavesTheFieldsEmpty(body: String) {
        #expect(parse(body) == HubError(body: []))
    }

    @Test func aTruncatedBodyIsReadAsFarAsItGoes() {
        let detail = "ExpiredToken: late.TrackingId:g_1,TimeStamp:7/2/2020"
        let whole = "<Error><Code>401</Code><Detail>\(detail)</Detail></Error>"
        for length in 0...whole.count {
            let error = parse(String(whole.prefix(length)))
            #expect("401".hasPrefix(error.code) && detail.hasPrefix(error.detail))
        }
        let cut = parse(String(whole.prefix(whole.count - 30)))
        #expect(cut.detail == "ExpiredToken: late" && cut.tracking == "g_1" && cut.name == "ExpiredToken")
    }

    /// As SECURITY.md promises.
    @Test func sixteenKilobytesAreRead() {
        let error = "<Error><Code>401</Code>"
        let before = { String(repeating: " ", count: 16_384 - $0) + error }
        #expect(parse(before(error.count)).code == "401")
        #expect(parse(before(error.count - "1</Code>".count)).code == "40")
        #expect(parse(before(5)) == HubError(body: []))
        let long = String(repeating: "x", count: 20_000)
        #expect(parse("<Error><Detail>\(long)</Detail></Error>").detail.count == 16_384 - "<Error><Detail>".count)
    }

    @Test func invalidUTF8IsReplaced() {
        let body = Array("<Error><Detail>a".utf8) + [0xff, 0xfe] + Array("b</Detail></Error>".utf8)
        #expect(HubError(body: body).detail == "a\u{fffd}\u{fffd}b")
    }
}
