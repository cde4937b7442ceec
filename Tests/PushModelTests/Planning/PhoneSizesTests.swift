import Testing

@testable import PushModel

/// How large what phones get of a plan is.
@Suite struct PhoneSizesTests {
    private static let apns = PreviewTemplate(.apns, "short", #"{"aps":{"alert":"$(t)"}}"#)
    private static let android = PreviewTemplate(.fcmV1, "news", #"{"message":{"notification":{"body":"$(u)"}}}"#)

    /// Each list of messages is a claim.
    private func phones(_ templates: [PreviewTemplate], _ claims: [[Message]]) -> PhoneSizes {
        var tally = PlanTally(of: .news, templates: templates)
        for messages in claims {
            let notes = PlanNotes()
            tally.add(Plan(messages, for: .news, now: 0, notes: notes), notes, of: messages, priority: .normal)
        }
        return tally.phones
    }

    private func content(_ length: Int) -> String { #"{"t":"\#(String(repeating: "x", count: length))"}"# }

    @Test func eachPlatformHasItsLargestPayloadWithTemplateAndPost() throws {
        let phones = phones(
            [Self.android, Self.apns, PreviewTemplate(.apns, "shorter", #"{"aps":{"alert":"$(t, 1)"}}"#)],
            [
                [.of(1, tag: "a", content: content(3)), .of(2, tag: "b", content: content(9))],
                [.of(3, content: content(5))],
            ])
        #expect(phones.posts == 3 && phones.isKnown && phones.unseen == 0)
        #expect(phones.largest.map(\.platform) == [.apns, .fcmV1])
        let apple = try #require(phones.largest.first)
        #expect((apple.bytes, apple.limit, apple.template, apple.post, apple.tooLarge) == (29, 4096, "short", 2, 0))
        #expect(phones.largest[1].bytes == 40 && phones.largest[1].post == 1)
    }

    @Test func postsThatAPlatformWouldDropAreCountedAlsoWhereTheySayTheSame() throws {
        let long = content(5_000)
        let rows = [
            [Message.of(1, tag: "a"), .of(2, tag: "b", content: long)],
            [
                .of(3, tag: "c", content: long), .of(4, tag: "c", content: long),
                .of(5, tag: "d", content: content(4_100)),
            ],
        ]
        let apple = try #require(phones([Self.apns], rows).largest.first)
        #expect((apple.bytes, apple.post, apple.tooLarge) == (5_020, 2, 4))
        // A call may have 5,120 bytes.
        var call = Self.apns
        call.headers = ["Apns-Push-Type": "voip"]
        let calls = try #require(phones([call], rows).largest.first)
        #expect((calls.bytes, calls.limit, calls.tooLarge) == (5_020, 5_120, 0))
        // What is over counts more than what is large.
        let both = try #require(phones([call, Self.apns], [[.of(1, content: content(4_090))]]).largest.first)
        #expect((both.limit, both.tooLarge) == (4_096, 1))
    }

    @Test func withoutATemplateThatAHubTakesNothingIsKnown() {
        for templates in [[], [PreviewTemplate(.apns, "broken", "{")]] {
            let phones = phones(templates, [[.of(1)]])
            #expect(!phones.isKnown && phones.posts == 1 && phones.largest == [])
        }
        let native = phones([Self.apns], [[.of(1, content: #"{"aps":{"alert":"x"}}"#, format: "apple")]])
        #expect(native.posts == 0 && native.largest == [])
    }

    @Test func renderingHasABoundAndSaysWhatItLeftOut() {
        let templates = (0..<2_000).map { PreviewTemplate(.apns, "t\($0)", #"{"aps":{"alert":"$(t)"}}"#) }
        let rows = (1...12).map { Message.of(Int64($0), tag: "a", content: content($0)) }
        let phones = phones(templates, [rows, [.of(20, tag: "b", content: content(1))]])
        #expect(phones.posts == 13 && phones.unseen == 2)
        #expect(phones.largest.map(\.post) == [10])
    }
}
