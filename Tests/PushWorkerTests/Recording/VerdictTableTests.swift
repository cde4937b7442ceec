import Foundation
import HTTPTransport
import Providers
import PushModel
import Signing
import Store
import Testing
import VectorSupport

@testable import PushWorker

/// Every kind of answer, from its bytes to the outcome of the message, one line each.
///
/// The columns: the case of the vectors, the verdict, what becomes of the message (`kept`: it is due again), the effect on the
/// hub, and the cost in attempts: while nothing else works, and while other posts to the hub succeed. Beside these a refusal
/// has no effect on the hub.
@Suite struct VerdictTableTests {
    /// All cases of `response_classification` in the vectors of Providers.
    static let answers = """
        201                          accepted      accepted taken_by_hub    takes         - -
        202                          accepted      accepted taken_by_hub    takes         - -
        401-expired                  auth_expired  kept     auth_refused    sign again    0 1
        401-again-after-fresh-token  auth_expired  kept     auth_refused    sign again    0 1
        404                          hub_not_found kept     hub_not_found   hold          0 1
        408                          unavailable   kept     unavailable     breaker       0 1
        409                          rejected      rejected bad_request     works         - -
        413                          too_large     rejected too_large       works         - -
        429-seconds                  throttled     kept     throttled       gate 7 s      0 0
        429-http-date                throttled     kept     throttled       gate 30 s     0 0
        429-past-date                throttled     kept     throttled       gate 0 s      0 0
        429-ms                       throttled     kept     throttled       gate 1.5 s    0 0
        500                          unavailable   kept     unavailable     breaker       0 1
        501                          hub_not_found kept     hub_not_found   hold          0 1
        502                          unavailable   kept     unavailable     breaker       0 1
        503                          unavailable   kept     unavailable     breaker       0 1
        505                          hub_not_found kept     hub_not_found   hold          0 1
        301                          hub_not_found kept     hub_not_found   hold          0 1
        dns failure                  not_sent      kept     not_sent        breaker       0 1
        connection refused           not_sent      kept     not_sent        breaker       0 1
        tls verification failed      auth_failed   kept     auth_refused    hold          0 1
        connect timeout, nothing sent not_sent kept not_sent breaker 0 1
        timeout or reset after the request body was sent unknown in_doubt answer_lost breaker - -
        """

    /// outcome-taxonomy.json: the statuses of Notification Hubs and the results of curl. 408 and 504 are `unknown`
    /// there; docs/wire/notification-hubs.md, "Status codes", has them retried, as the SDKs do.
    static let taxonomy = """
        200                          accepted      accepted taken_by_hub    takes         - -
        201                          accepted      accepted taken_by_hub    takes         - -
        400                          rejected      rejected bad_request     works         - -
        401                          auth_expired  kept     auth_refused    sign again    0 1
        403 retry-after present      throttled     kept     throttled       gate 9 s      0 0
        403 retry-after absent       auth_failed   kept     auth_refused    hold          0 1
        408                          unavailable   kept     unavailable     breaker       0 1
        500                          unavailable   kept     unavailable     breaker       0 1
        503                          unavailable   kept     unavailable     breaker       0 1
        504                          unavailable   kept     unavailable     breaker       0 1
        curl 5                       not_sent      kept     not_sent        breaker       0 1
        curl 7                       not_sent      kept     not_sent        breaker       0 1
        curl 16                      unknown       in_doubt answer_lost     breaker       - -
        curl 18                      unknown       in_doubt answer_lost     breaker       - -
        curl 52                      unknown       in_doubt answer_lost     breaker       - -
        curl 56                      unknown       in_doubt answer_lost     breaker       - -
        curl 60                      auth_failed   kept     auth_refused    hold          0 1
        curl 92                      unknown       in_doubt answer_lost     breaker       - -
        curl 94                      auth_failed   kept     auth_refused    hold          0 1
        """

    @Test func everyAnswerOfTheVectorsEndsAsTheTableSays() throws {
        let file: Classification = try Vectors.read("response_classification")
        let ends: [String: Reply.Outcome] = [
            "dns failure": .notSent(.init(code: 6, text: "could not resolve host")),
            "connection refused": .notSent(.init(code: 7, text: "could not connect")),
            "tls verification failed": .notSent(.init(code: 60, text: "certificate has expired")),
            "connect timeout, nothing sent": .notSent(.init(code: 28, text: "timed out")),
            "timeout or reset after the request body was sent": .unknown(.init(code: 56, text: "reset by peer")),
        ]
        var lines: [String] = []
        for vector in file.cases {
            let reply = Self.reply(vector.status, vector.headers)
            lines.append(try line(vector.id, reply, least: vector.expect.delay ?? 0))
        }
        for event in file.transport {
            lines.append(try line(event.event, Reply(id: 1, outcome: try #require(ends[event.event]))))
        }
        #expect(lines == Self.rows(Self.answers))
    }

    @Test func everyOutcomeOfTheTaxonomyEndsAsTheTableSays() throws {
        let file: Taxonomy = try Vectors.read("outcome-taxonomy")
        var lines: [String] = []
        for answer in file.anhHttp {
            let isThrottled = answer.header == "retry-after present"
            let reply = Self.reply(answer.status, isThrottled ? ["Retry-After": "9"] : [:])
            lines.append(try line([String(answer.status), answer.header ?? ""].joined(separator: " "), reply))
        }
        // The transport decides whether anything left, not the number (docs/wire/libcurl.md).
        for result in file.curl where result.code != 0 {
            let fault = Reply.Fault(code: result.code, text: "no")
            let reply = Reply(id: 1, outcome: result.outcome == "unknown" ? .unknown(fault) : .notSent(fault))
            lines.append(try line("curl \(result.code)", reply))
        }
        #expect(lines == Self.rows(Self.taxonomy))
    }

    /// A captive portal, or a proxy that opens TLS, answers every request with a page: no hub saw the post.
    @Test(arguments: [
        (200, "text/html"), (201, "text/html; charset=utf-8"), (204, "TEXT/HTML"), (201, "application/xml"),
        (200, "application/json"), (201, "text/plain"), (201, ""),
    ])
    func aWebPageIsNoHubsAnswer(status: Int, type: String) throws {
        let end =
            type.lowercased().hasPrefix("text/html")
            ? "hub_not_found kept hub_not_found hold 0 1" : "accepted accepted taken_by_hub takes - -"
        #expect(try line("page", Self.reply(status, type.isEmpty ? [:] : ["Content-Type": type])) == "page \(end)")
    }

    /// The sequences the SDKs are tested with. They give up after some tries; we go on until the message expires.
    @Test func noSequenceOfTheSDKsLosesAMessage() throws {
        let file: Policies = try Vectors.read("retry_policies")
        #expect(file.sequences.count == 5)
        for sequence in file.sequences {
            var attempts: Int16 = 0
            for answer in sequence.answers.prefix(while: { $0.status != 200 }) where answer.status != nil {
                let reply = Self.reply(answer.status ?? 0, answer.retryAfter.map { ["Retry-After": $0] } ?? [:])
                let outcome = try settle(reply, attempt: attempts, othersSucceed: false).outcome
                #expect(outcome.status == .retrying, "\(sequence.id)")
                attempts += outcome.cost
            }
            #expect(attempts == 0, "\(sequence.id)")
        }
    }

    /// Before a message expires, only an answer about the message itself ends it.
    @Test(arguments: Array(100...999)) func onlyAnAnswerAboutTheMessageEndsIt(status: Int) throws {
        for headers in [[:], ["Retry-After": "5"], ["Retry-After": "soon"]] {
            let outcome = try settle(Self.reply(status, headers), attempt: 9, othersSucceed: false).outcome
            switch outcome.status {
            case .accepted: #expect((200...299).contains(status))
            case .rejected: #expect((400...499).contains(status) && ![401, 403, 404, 407, 408, 429].contains(status))
            case .inDoubt: #expect(!(200...599).contains(status), "its meaning is unknown")
            default: #expect(outcome.status == .retrying && outcome.cost == 0)
            }
        }
    }

    // MARK: -

    private func settle(_ reply: Reply, attempt: Int16 = 0, othersSucceed: Bool) throws -> Settlement {
        let text = "Endpoint=http://127.0.0.1:1/;SharedAccessKeyName=k;SharedAccessKey=aw=="
        let hub = try NotificationHubs(connection: try ConnectionString(parsing: text), hub: "news")
        let facts = Settlement.Facts(
            attempt: attempt, expiresAt: 1_000_000 + 86_400 * 2, onDoubt: .hold, othersSucceed: othersSucceed,
            isOwnRefusal: othersSucceed, now: 1_000_000, random: 0.5)
        return Settlement(hub.answer(to: reply).verdict, facts, DispatchSettings())
    }

    private func line(_ name: String, _ reply: Reply, least seconds: Double = 0) throws -> String {
        let text = "Endpoint=http://127.0.0.1:1/;SharedAccessKeyName=k;SharedAccessKey=aw=="
        let hub = try NotificationHubs(connection: try ConnectionString(parsing: text), hub: "news")
        let alone = try settle(reply, othersSucceed: false)
        let beside = try settle(reply, othersSucceed: true)
        switch alone.effect {
        case .refused, .signAgain: #expect(beside.effect == .refusedOne)
        default: #expect(beside.effect == alone.effect)
        }
        if let delay = alone.outcome.delay { #expect(delay >= seconds, "\(name)") }
        let costs = [alone, beside].map { $0.outcome.status == .retrying ? "\($0.outcome.cost)" : "-" }
        let status = alone.outcome.status == .retrying ? "kept" : alone.outcome.status.rawValue
        return Self.rows(
            """
            \(name) \(hub.answer(to: reply).verdict.word) \(status) \(alone.outcome.reason.rawValue) \
            \(word(alone.effect)) \(costs.joined(separator: " "))
            """)[0]
    }

    private func word(_ effect: Settlement.Effect) -> String {
        switch effect {
        case .takes: "takes"
        case .works: "works"
        case .refusedOne: "nothing"
        case .closeGate(let seconds, _):
            "gate \(seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)") s"
        case .signAgain: "sign again"
        case .refused: "hold"
        case .failed: "breaker"
        }
    }

    /// Lines with single spaces.
    private static func rows(_ table: String) -> [String] {
        table.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    }

    private static func reply(_ status: Int, _ headers: [String: String]) -> Reply {
        let lines = headers.map { (name: $0.lowercased(), value: $1) }
        return Reply(id: 1, outcome: .answered(.init(status: status, headers: lines)), receivedAt: 1_767_225_600)
    }

    private struct Classification: Decodable {
        struct Expectation: Decodable { let delay: Double? }
        struct Case: Decodable {
            let id: String, status: Int, headers: [String: String], expect: Expectation
        }
        struct Event: Decodable { let event: String }
        let cases: [Case], transport: [Event]
    }

    private struct Taxonomy: Decodable {
        struct Answered: Decodable { let status: Int, header: String? }
        struct Result: Decodable { let code: Int32, outcome: String }
        let anhHttp: [Answered], curl: [Result]
    }

    private struct Policies: Decodable {
        /// A status, an object with one, or the word `timeout`.
        struct One: Decodable {
            var status: Int?
            var retryAfter: String?
            private enum Key: String, CodingKey {
                case status
                case retryAfter = "Retry-After"
            }
            init(from decoder: any Decoder) throws {
                if let keys = try? decoder.container(keyedBy: Key.self) {
                    status = try keys.decode(Int.self, forKey: .status)
                    retryAfter = try keys.decodeIfPresent(String.self, forKey: .retryAfter)
                } else {
                    status = try? decoder.singleValueContainer().decode(Int.self)
                }
            }
        }
        struct Sequence: Decodable { let id: String, answers: [One] }
        let sequences: [Sequence]
    }
}
