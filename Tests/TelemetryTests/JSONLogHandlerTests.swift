import Foundation
import Logging
import Testing

@testable import Telemetry

@Suite struct JSONLogHandlerTests {
    let captured = CapturedLog()

    /// Line separators for some readers, and marks that change the direction of writing.
    private static let directionMarks: [Unicode.Scalar] =
        ["\u{61C}", "\u{200E}", "\u{200F}"]
        + [0x2028...0x202E, 0x2066...0x2069].joined().compactMap { Unicode.Scalar($0 as UInt32) }

    @Test func anEventIsOneObjectOnOneLine() throws {
        captured.logger().warning(
            "cannot claim messages", metadata: ["hub": "news", "waiting": .stringConvertible(12)])
        #expect(
            captured.lines == [
                #"{"ts":"2026-11-21T16:37:00.250Z","level":"warning","msg":"cannot claim messages","logger":"lane","#
                    + #""hub":"news","waiting":12}"# + "\n"
            ])
        let object = try #require(try captured.objects().first)
        #expect(object["waiting"] as? Int == 12)
    }

    @Test(arguments: [
        "plain", "", "a \"quote\" and a \\ backslash", "two\r\nlines\tand a tab", "\u{0}\u{1}\u{1F}\u{7F}",
        "\u{80}\u{85}\u{9B}31m", "\u{2028}between\u{2029}", "é ü 漢字 🎺 \u{A0}\u{200B}",
        String(String.UnicodeScalarView(directionMarks)),
        "\u{61B}\u{61D}\u{200D}\u{2010}\u{2027}\u{202F}\u{2065}\u{206A}",
        String(decoding: [0x62, 0xFF, 0xC3, 0x28, 0xED, 0xA0, 0x80], as: UTF8.self),
    ])
    func everyTextSurvivesOnOneLine(text: String) throws {
        captured.logger(label: text).info("\(text)", metadata: ["k\(text)": "\(text)"])
        let line = try #require(captured.lines.first)
        #expect(line.unicodeScalars.dropLast().allSatisfy { $0.properties.generalCategory != .control })
        #expect(line.unicodeScalars.allSatisfy { !Self.directionMarks.contains($0) })
        let object = try #require(try captured.objects().first)
        #expect(object["msg"] as? String == text)
        #expect(object["logger"] as? String == text)
        #expect(object["k\(text)"] as? String == text)
    }

    @Test func nestedMetadataIsFlattened() throws {
        captured.logger().info(
            "x", metadata: ["hub": ["name": "news", "gate": ["until": "12:00"]], "tags": ["a", "b", ["c": "d"]]])
        let object = try #require(try captured.objects().first)
        #expect(object["hub.name"] as? String == "news")
        #expect(object["hub.gate.until"] as? String == "12:00")
        #expect(object["tags"] as? [String] == ["a", "b", "c=d"])
    }

    @Test func numbersAndFlagsKeepTheirKind() throws {
        captured.logger().info(
            "x",
            metadata: [
                "count": .stringConvertible(UInt16(7)), "ratio": .stringConvertible(0.5),
                "big": .stringConvertible(1e300), "held": .stringConvertible(true),
                "nan": .stringConvertible(Double.nan),
                "text": "7",
            ])
        let line = try #require(captured.lines.first)
        #expect(line.contains(#""count":7,"#) && line.contains(#""held":true,"#) && line.contains(#""ratio":0.5,"#))
        #expect(line.contains(#""nan":"nan""#) && line.contains(#""text":"7""#))
        #expect(try captured.objects().first?["big"] as? Double == 1e300)
    }

    /// A `real` of the database was once `38.00001525878906`, a measured time `1.0919975940938893`.
    @Test func measuredNumbersAreRoundedToThousandths() throws {
        captured.logger().info(
            "x",
            metadata: [
                "rate": .stringConvertible(38.00001525878906), "seconds": .stringConvertible(1.0919975940938893),
                "single": .stringConvertible(Float(0.1)),
            ])
        let line = try #require(captured.lines.first)
        #expect(line.contains(#""rate":38.0,"seconds":1.092,"single":0.1}"#), "\(line)")
    }

    @Test func metadataNeverReplacesAFixedMember() throws {
        captured.logger().error("real", metadata: ["msg": "fake", "level": "fake", "ts": "fake", "ts_": "kept"])
        let object = try #require(try captured.objects().first)
        #expect(object["msg"] as? String == "real")
        #expect(object["level"] as? String == "error")
        #expect(object["ts"] as? String == "2026-11-21T16:37:00.250Z")
        #expect(object["msg_"] as? String == "fake")
        #expect(Set([object["ts_"] as? String, object["ts__"] as? String]) == ["fake", "kept"])
        #expect(object.count == 8)
    }

    @Test func metadataOfTheCallWinsThenOfTheProvider() throws {
        var logger = captured.logger(provider: Logger.MetadataProvider { ["a": "provider", "b": "provider"] })
        logger[metadataKey: "a"] = "logger"
        logger[metadataKey: "b"] = "logger"
        logger[metadataKey: "c"] = "logger"
        logger.info("x", metadata: ["b": "call"])
        let object = try #require(try captured.objects().first)
        #expect(object["a"] as? String == "provider")
        #expect(object["b"] as? String == "call")
        #expect(object["c"] as? String == "logger")
    }

    @Test func anErrorOfTheEventIsShownWithoutItsSecrets() throws {
        struct Refused: Error, CustomStringConvertible { var description: String { "refused: password=hunter2" } }
        captured.logger().error("x", error: Refused())
        #expect(try captured.objects().first?["error"] as? String == "refused: password=•••")
    }

    @Test func linesBelowTheThresholdAreNotBuilt() {
        let threshold = LogThreshold(.info)
        let logger = captured.logger(threshold: threshold)
        logger.debug("\(unwanted())")
        #expect(captured.lines.isEmpty)
        threshold.level = .debug
        logger.debug("wanted")
        #expect(captured.lines.count == 1)
    }

    private func unwanted() -> String {
        Issue.record("a message below the threshold was built")
        return ""
    }

    @Test func oneLoggerCanHaveItsOwnLevel() {
        var own = captured.logger(threshold: LogThreshold(.error))
        let shared = own
        own.logLevel = .debug
        own.debug("wanted")
        shared.debug("unwanted")
        #expect(captured.lines.count == 1)
    }

    @Test(arguments: zip(Logger.Level.allCases, [7, 7, 6, 5, 4, 3, 2]))
    func theJournalReadsThePriorityFirst(level: Logger.Level, priority: Int) {
        captured.logger(isJournal: true).log(level: level, "x")
        #expect(captured.lines[0].hasPrefix("<\(priority)>{\"ts\""))
    }

    @Test func textIsForPeople() {
        let logger = captured.logger(.text)
        logger.warning(
            "cannot \"claim\"\nmessages", metadata: ["hub": "news", "error": "it is gone", "n": ["a", "b"]])
        #expect(
            captured.lines == [
                "2026-11-21T16:37:00.250Z warning lane: cannot \"claim\"\\nmessages "
                    + "error=\"it is gone\" hub=news n=\"[a, b]\"\n"
            ])
    }

    @Test func controlCharactersDoNotReachATerminal() {
        captured.logger(.text).info("\u{1B}[2J\u{9B}31m", metadata: ["k\u{7}": "\u{8}"])
        #expect(captured.lines == ["2026-11-21T16:37:00.250Z info lane: \\u001b[2J\\u009b31m k\\u0007=\"\\u0008\"\n"])
    }

    @Test func marksOfDirectionAreEscaped() {
        captured.logger(.text).info("a\u{202E}b\u{2066}c\u{2069}d\u{61C}e\u{2029}f👩‍🔬")
        #expect(
            captured.lines == [
                "2026-11-21T16:37:00.250Z info lane: a\\u202eb\\u2066c\\u2069d\\u061ce\\u2029f👩‍🔬\n"
            ])
    }

    @Test func autoIsTextOnATerminalAndJSONElsewhere() {
        #expect(LogFormat.auto.resolved(onTerminal: true) == .text)
        #expect(LogFormat.auto.resolved(onTerminal: false) == .json)
        #expect(LogFormat.json.resolved(onTerminal: true) == .json)
        #expect(LogFormat.text.resolved(onTerminal: false) == .text)
    }
}
