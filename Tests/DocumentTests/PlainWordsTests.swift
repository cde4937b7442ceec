import Foundation
import ProgramSupport
import Testing

/// Code and documents use the terms of the field and plain English.
@Suite struct PlainWordsTests {
    /// Names that types had before they were renamed (`Baton` is `AsyncLock` now), without names that are also common words
    /// or other types.
    private static let formerNames: [String] = [
        // Postgres and its private servers
        "ArrayForm", "DatabaseWire", "Lending", "OwnThread", "ServerDirectory", "ServerKeeper",
        "ServerPrograms", "TypeNumber",
        // transport, signing, providers, model, store
        "AnsweredColumns", "FlatObject", "FlatObjectWriter", "FormatHeaders", "LogText", "MultiLoop", "NameList",
        "Outlet", "ReceivedSAS", "TestOutcome",
        // the worker
        "Baton", "Brake", "ClaimFacts", "Doze", "Fanout", "Holdings", "KeyWatch", "Office", "Portion", "Pulse", "Scout",
        "ServedHub",
        // the daemon and its HTTP server
        "AnswerBytes", "AnswerWriter", "ConsoleError", "ConsoleServer", "Dismissal", "Exposure", "HTTPListener",
        "JSONDocument", "JSONDocumentParser", "Patience", "Roster", "Stillness", "Vitals",
        // the emulator
        "AdminDesk", "ClockAdmin", "DateLine", "Distortion", "EventDesk", "FeedbackDesk", "FrontDoor",
        "HostCheck", "InboxDesk", "InstallationDesk", "JournalCheck", "ListenPlan", "LocalDoor", "PageDesk",
        "PhoneBook", "PhoneView", "Postings", "Postman", "PublicFile", "RegistrationDesk", "Resident", "ScheduleDesk",
        "SendDesk", "SeededGenerator", "StateKeeper", "TelemetryDesk", "TierFeature",
        // the programs
        "BenchFacts", "BenchGround", "BenchLimit", "BenchPage", "BenchSite", "BenchWhole", "DemoAudit", "DemoClaim",
        "DemoFacts", "DemoNumber", "DemoPace", "DemoSignals", "DemoSite", "DemoStay", "DemoStory", "DemoWitness",
        "DemoWorker", "EmulateDoorOptions", "ExportSheet", "GivenTime", "ImportTally", "InstallationCrowd",
        "InstallationErrand", "ManualEnding", "PastTime", "RefusedLine", "SpokenHub", "TopLook",
        // chaos
        "Carriage", "Injury", "Janitor", "Tormentor",
    ]

    /// Awkward phrases. Each has a plain form.
    private static let phrases = ["that is none", "there is none of", "whoever", "shall "]

    private static func texts(in directories: [String]) -> [(path: String, text: String)] {
        Checkout.paths(in: directories).compactMap { path in
            (try? Repository.text(path)).map { (path, $0) }  // nil: not a text
        }
    }

    @Test func theFormerNamesOfTypesAreGone() throws {
        let former = Set(Self.formerNames.map { Array($0.utf8) })
        let documents = try CitationTests.documents.map { (path: $0, text: try Repository.text($0)) }
        var found: Set<String> = []
        for (path, text) in Self.texts(in: ["Sources", "bin", "docs"]) + documents {
            let words = text.utf8.split { byte in
                !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "_"))
            }
            for word in words where former.contains(Array(word)) {
                found.insert("\(path): \(String(decoding: word, as: UTF8.self))")
            }
        }
        let isClean = found.isEmpty
        #expect(isClean, "\(found.sorted().joined(separator: "\n"))")
    }

    @Test func theWorstPhrasesAreGone() throws {
        var found: [String] = []
        for (path, text) in Self.texts(in: ["Sources", "migrations", "docs"]) {
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                for phrase in Self.phrases where line.localizedCaseInsensitiveContains(phrase) {
                    found.append("\(path):\(index + 1): \(phrase)")
                }
            }
        }
        let isClean = found.isEmpty
        #expect(isClean, "\(found.joined(separator: "\n"))")
    }

    /// Nor do hints, comments, documents and scripts name a command as it was called before.
    @Test func theFormerWordsOfTheCommandLineAreGone() throws {
        let documents = try CitationTests.documents.map { (path: $0, text: try Repository.text($0)) }
        let texts = Self.texts(in: ["Sources", "migrations", "docs", "bin", "deploy", "Benchmarks"]) + documents
        let found = texts.flatMap { path, text in FormerWords.found(in: text).map { "\(path): \($0)" } }
        let isClean = found.isEmpty
        #expect(isClean, "\(Set(found).sorted().joined(separator: "\n"))")
    }
}
