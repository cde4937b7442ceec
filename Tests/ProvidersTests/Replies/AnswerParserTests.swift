import Foundation
import PushModel
import Testing
import VectorSupport

@testable import Providers

/// The parsers that face the network keep their promises for any input.
@Suite(.timeLimit(.minutes(10))) struct AnswerParserTests {
    /// Well-formed inputs for each parser, and inputs that found faults.
    private static let seeds: [AnswerCheck: [String]] = [
        .error: [
            "<Error><Code>401</Code><Detail>ExpiredToken: x. SubCode=40103.TrackingId:1-2,TimeStamp:3</Detail></Error>",
            "<Error/><Code", "<Error><Code/><Detail>&#x10FFFF;&amp;&#xD800;&lt",
            "<Error xmlns=\"a\"><Code>4&#48;0</Code>",
        ],
        .outcome: [
            """
            <NotificationOutcome><Success>1</Success><Failure>-9223372036854775808</Failure><Results><RegistrationResult>
            <ApplicationPlatform>apple</ApplicationPlatform><PnsHandle>00</PnsHandle><Outcome>&#x1B;[2J</Outcome>
            </RegistrationResult><RegistrationResult></Results></NotificationOutcome>
            """
        ],
        .page: [
            """
            <feed><entry><content><Tags>a,$InstallationId:{x,y},b</Tags></content></entry><entry><![CDATA[</entry>]]>
            <Tags>$UserId:{}</Tags></entry></feed>
            """, "<feed/>",
        ],
        .location: ["https://ns.example/hub/messages/12-34?api-version=1", "/a", "://", "https://a/\u{0}"],
        .date: [
            "Thu, 01 Jan 2026 00:00:30 GMT", "Thursday, 31-Dec-99 23:59:60 GMT", "Thu Jan  1 00:00:30 9999",
            "x, 29 Feb 1970 00:00:00 gmt",
        ],
        .wait: [
            "\n\n30\nThu, 01 Jan 2026 00:00:30 GMT", "1500\n2\n3\n", "\n.5", "\n\nThu, 01 Jan 2026 00:01:30 GMT\n",
            "\n\nThu, 01 Jan 2026 00:01:30 GMT\nThu, 01 Jan 2026 00:00:30 GMT", "nan\ninf\n-1", "\n\n1e9",
            "\n\n99999999999999999999999999", "\n\n31536000", "\n\n-1\n", "\n\nThu, 01 Jan 1970 00:00:00 GMT\n",
        ],
        .line: [
            "SharedAccessSignature%20sr=a&SIG%3Dabc", "a\r\n\u{1B}[2Jb\u{202E}c\u{85}d", "sig = x SharedAccessKey = y",
            String(repeating: "e\u{301}", count: 600),
        ],
        .sent: [
            "Dear Ada, your code is 4711\nInvalid property value: ", "größer als 8\n•",
            "a-device-of-ada\nno registration for ", "aaaaaaaaaaaaaaaa\naaaaaaa", "\n", "12345678\n1234567812345678",
        ],
    ]

    @Test(arguments: AnswerCheck.allCases) func everyInputKeepsTheParsersPromises(
        check: AnswerCheck
    ) async throws {
        let seeds = (Self.seeds[check] ?? []).map { Array($0.utf8) } + (try Vectors.corpus(check.rawValue))
        #expect(!seeds.isEmpty)
        var random = SeededRandom(seed: 20)
        for seed in seeds {
            try check.run(seed)
            for _ in 0..<(seeds.count > 50 ? 20 : 400) { try check.run(Self.mutated(seed, &random)) }
            await Task.yield()  // other tests wait for a thread
        }
    }

    static func mutated(_ seed: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let at = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
            case 1 where at < bytes.count: bytes[at] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.removeSubrange(at...)
            case 3: bytes.insert(contentsOf: bytes[at...].prefix(40), at: at)
            default: bytes.removeSubrange(at..<min(bytes.count, at + 5))
            }
        }
        return bytes
    }
}
