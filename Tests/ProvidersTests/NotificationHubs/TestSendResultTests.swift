import Testing
import VectorSupport

@testable import Providers

@Suite struct TestSendResultTests {
    private struct File: Decodable {
        struct Case: Decodable {
            struct Expectation: Decodable {
                let success: Int
                let failure: Int
                let results: Int
            }
            let id: String
            let body: String
            let expect: Expectation
        }
        let testSend: [Case]
    }

    private func read(_ text: String) -> TestSendResult? { TestSendResult(body: Array(text.utf8)) }

    @Test func everyOutcomeOfTheVectorsIsRead() throws {
        let cases = try Vectors.read("telemetry", as: File.self).testSend
        #expect(cases.count == 3)
        for vector in cases {
            let outcome = try #require(read(vector.body), "\(vector.id)")
            #expect(outcome.success == vector.expect.success && outcome.failure == vector.expect.failure)
            #expect(outcome.results.count == vector.expect.results, "\(vector.id)")
        }
    }

    @Test func everyDeviceHasItsResult() throws {
        let two = try #require(try Vectors.read("telemetry", as: File.self).testSend.first)
        #expect(
            read(two.body)?.results == [
                .init(
                    platform: "apple", handle: "AA", registration: "1-2-3",
                    outcome: "The Push Notification System handle for the registration is invalid"),
                .init(
                    platform: "apple", handle: "BB", registration: "4-5-6",
                    outcome: "The Notification was successfully sent to the Push Notification System"),
            ])
    }

    @Test func referencesAreReadAndOtherElementsIgnored() {
        let text = """
            <?xml version="1.0"?>\n<NotificationOutcome xmlns="x">
              <Failure> 0 </Failure><New>7</New><Success>1</Success>
              <Results><RegistrationResult i:type="y"><Outcome>a &lt;b&gt; &#233;\n c</Outcome><PnsHandle/>
              <ApplicationPlatform>fcmv1</ApplicationPlatform></RegistrationResult></Results></NotificationOutcome>
            """
        #expect(
            read(text)
                == TestSendResult(
                    success: 1, failure: 0,
                    results: [.init(platform: "fcmv1", handle: "", registration: "", outcome: "a <b> é c")]))
    }

    @Test func aTruncatedDocumentIsReadAsFarAsItGoes() throws {
        let whole = try #require(try Vectors.read("telemetry", as: File.self).testSend.first).body
        for length in 0...whole.count {
            let outcome = read(String(whole.prefix(length)))
            #expect(outcome.map { $0.success == 1 && $0.failure <= 1 && $0.results.count <= 2 } ?? true)
        }
        let cut = try #require(whole.firstRange(of: "BB</PnsHandle>")).upperBound
        #expect(read(String(whole[..<cut]))?.results.map(\.handle) == ["AA", "BB"])
    }

    @Test(arguments: [
        "", "<Error><Code>400</Code></Error>", #"{"Success":1}"#, "<html>NotificationOutcome</html>",
        "<NotificationOutcome>",
        "<NotificationOutcome><Success>many</Success><Failure>0</Failure></NotificationOutcome>",
        "<NotificationOutcome><Success>1</Success></NotificationOutcome>",
        "<NotificationOutcome><Results><Success>1</Success><Failure>1</Failure></Results></NotificationOutcome>",
    ])
    func anotherDocumentIsNotAnOutcome(text: String) {
        #expect(read(text) == nil)
    }

    @Test func aHostileAnswerIsSafeForTerminalAndMemory() throws {
        let one = "<RegistrationResult><Outcome>a\u{1b}[2Jb\u{202e}c</Outcome></RegistrationResult>"
        let text =
            "<NotificationOutcome><Success>0</Success><Failure>1</Failure><Results>"
            + String(repeating: one, count: 1200)
        let results = try #require(read(text)).results
        #expect(results.count == 1000)
        #expect(results[0].outcome == "a [2Jb c")
    }
}
