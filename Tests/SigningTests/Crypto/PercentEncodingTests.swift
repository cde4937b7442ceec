import Testing
import VectorSupport

@testable import Signing

@Suite struct PercentEncodingTests {
    struct File: Decodable {
        struct Case: Decodable {
            let input: String
            let lower: String
            let upper: String
        }
        let cases: [Case]
    }

    @Test func everyVectorIsEncodedAndDecoded() throws {
        let cases = try Vectors.read("url_encoding", as: File.self).cases
        #expect(cases.count == 8)
        for vector in cases {
            #expect(SAS.encode(vector.input) == vector.lower)
            #expect(PercentEncoding.decode(vector.lower) == vector.input)
            #expect(PercentEncoding.decode(vector.upper) == vector.input)
        }
    }

    @Test(arguments: ["%", "%4", "%zz", "a%2", "%+1", "%ff", "%c3"])
    func brokenEncodingIsRefused(text: String) {
        #expect(PercentEncoding.decode(text) == nil)
    }

    @Test func aPlusStaysAPlus() {
        #expect(PercentEncoding.decode("a+b") == "a+b")
    }
}
