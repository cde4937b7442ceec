import HTTPTransport
import PushModel
import Testing

@testable import Providers

/// What a hub quotes of a request is not what it says of it.
@Suite struct SentValuesTests {
    private static func masked(_ text: String, headers: [String] = [], body: String = "") -> String {
        SentValues(Reply.Sent(headers: headers, body: Array(body.utf8))).masked(text)
    }

    @Test(arguments: [
        // body, what the hub says, what is kept of it
        (
            #"{"title":"Hi Ada","code":"4711"}"#, #"cannot use {"title":"Hi Ada","code":"4711"}"#,
            #"cannot use {"title":"•••","code":"•••"}"#
        ),
        (#"{"message":"Your code is 4711"}"#, "4711 is not allowed", "••• is not allowed"),
        (#"{"message":"Your code is 4711"}"#, "YOUR CODE IS", "•••"),
        (#"{"message":"Your code is 4711"}"#, "bad text: Your code is 4…", "bad text: •••…"),
        (#"{"n": 471123}"#, "471123?", "•••?"),
        (#"{"aps":{"alert":{"loc-key":"GREETING"},"badge":5}}"#, "badge of GREETING is 5", "badge of ••• is 5"),
        (#"{"message":"Grüße aus Köln, Ærlig"}"#, "text Grüße aus Köln, Ærlig!", "text •••!"),
        (
            "<toast><text id=\"1\">Your parcel</text></toast>", "element <text id=\"1\">Your parcel</text>",
            "element <text id=\"1\">•••</text>"
        ),
        ("raw bytes of somebody", "cannot read raw bytes of somebody", "cannot read •••"),
        (#"{"a":"it"}"#, "it is wrong", "it is wrong"),
        ("", "nothing was sent", "nothing was sent"),
    ])
    func valuesOfABodyAreMaskedAndNamesStay(body: String, said: String, kept: String) {
        #expect(Self.masked(said, body: body) == kept)
    }

    @Test func tagsAndHandlesAreMasked() {
        let handle = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
        #expect(Self.masked("no device \(handle.uppercased())", headers: [handle]) == "no device •••")
        #expect(Self.masked("no device \(handle.prefix(20))...", headers: [handle]) == "no device •••...")
        #expect(Self.masked("tag World or muted", headers: ["(World && !muted)"]) == "tag ••• or •••")
        #expect(Self.masked("tag user:1234", headers: ["World || user:1234"]) == "tag •••")
    }

    /// Whatever a hub makes of a value of its request, no eight characters of it in a row are left.
    @Test(arguments: 1...200 as ClosedRange<UInt64>) func noPartOfAValueIsLeft(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let letters = Array("abcXYZ019 -_.é/<>&:,")
        func word(_ count: Int) -> String { String((0..<count).map { _ in letters.randomElement(using: &random)! }) }
        let value = word(Int.random(in: 8...80, using: &random))
        let begin = Int.random(in: 0...(value.count - 8), using: &random)
        let quoted = String(value.dropFirst(begin).prefix(Int.random(in: 8...80, using: &random)))
        let said = Self.masked(word(5) + "|" + quoted + "|" + word(5), body: "[\"\(value)\"]")
        let bytes = Array(value.utf8)
        for start in 0...(bytes.count - 8) {
            #expect(
                !Array(said.lowercased().utf8).contains(
                    Array(String(decoding: bytes[start..<(start + 8)], as: UTF8.self).lowercased().utf8)))
        }
    }

    @Test func errorsAndVerdictsOfAnswersAreMasked() throws {
        var reply = TestHub.reply(
            400, body: #"{"Detail":"bad payload: {\"message\":\"Your code is 4711\"} for user:1234"}"#)
        reply.sent = Reply.Sent(headers: ["user:1234"], body: Array(#"{"message":"Your code is 4711"}"#.utf8))
        let answer = try TestHub.hub().answer(to: reply)
        #expect(answer.error?.contains("4711") == false && answer.error?.contains("1234") == false, "\(answer)")
        #expect(answer.error?.contains("bad payload") == true && answer.error?.contains("message") == true, "\(answer)")
        #expect("\(answer.verdict)".contains("4711") == false, "\(answer)")
    }
}
