import Testing
import VectorSupport

@testable import Signing

@Suite struct SASTests {
    @Test func everyVectorIsSignedByteForByte() throws {
        let cases = try Vectors.read("sas_tokens", as: SASVectors.self).cases
        #expect(cases.count == 11)
        for vector in cases {
            let expected = try #require(vector.canonical["lower_hex"])
            let token = SAS.token(
                resource: "https://\(vector.input.host)/\(vector.input.hub)", keyName: vector.input.keyName,
                key: Secret(vector.input.key), expiry: vector.input.expiry)
            #expect(token.header.reveal() == expected.token, "\(vector.id)")
            #expect(token.expiry == vector.input.expiry)
            #expect(SAS.encode(expected.resourceUri) == expected.sr)
            let signed = SAS.toSign(scope: expected.sr, expiry: String(vector.input.expiry))
            #expect(String(decoding: signed, as: UTF8.self) == expected.stringToSign)
            #expect(Base64.encode(HMAC.sha256(key: Array(vector.input.key.utf8), signed)) == expected.signatureBase64)
        }
    }

    @Test func knownAnswersOfOtherProjectsMatch() throws {
        let answers = try Vectors.read("sas_tokens", as: SASVectors.self).knownAnswers
        #expect(answers.count == 2)
        for answer in answers {
            let signature = HMAC.sha256(key: Array(answer.key.utf8), Array(answer.stringToSign.utf8))
            #expect(Base64.encode(signature) == answer.signatureBase64, "\(answer.id)")
        }
    }
}
