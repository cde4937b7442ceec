import Foundation
import ProgramSupport
import TestSupport
import Testing

/// The trace context of a row on the wire and in the log of the real program.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TraceTests {
    private static let one = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    private static let two = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203332-00"

    @Test func aContextThatAPostsMessagesShareIsSentAndLogged() async throws {
        try await ScriptedHub.run { _, _ in
            ScriptedHub.Answer(status: 201)
        } _: { hub in
            let test = try await TestDatabase.make()
            var fanfare = hub.fanfare
            fanfare.environment = ["FANFARE_DATABASE_URL": test.conninfo]
            #expect(try await fanfare("migrate", "up").status == 0)
            // Those of one content share a post.
            try await test.database.execute(
                """
                INSERT INTO push.message (hub, tag, content, traceparent) VALUES
                    ('news', 'a', '{"n": "same"}', \(Self.one)), ('news', 'b', '{"n": "same"}', \(Self.one)),
                    ('news', 'a', '{"n": "two"}', \(Self.one)), ('news', 'b', '{"n": "two"}', \(Self.two)),
                    ('news', 'a', '{"n": "some"}', \(Self.one)), ('news', 'b', '{"n": "some"}', NULL),
                    ('news', 'a', '{"n": "none"}', NULL)
                """)
            let ended = try await fanfare("drain", "--log-level", "debug", "--log-format", "json")
            #expect(ended.status == 0, "\(ended.errors)")

            let sent = hub.requests.map { request in
                let trace = request.headers.filter { $0.lowercased().hasPrefix("traceparent:") }
                return "\(request.body) \(trace.joined(separator: ","))"
            }
            #expect(
                Set(sent) == [
                    #"{"n": "same"} traceparent: \#(Self.one)"#, #"{"n": "two"} "#, #"{"n": "some"} "#,
                    #"{"n": "none"} "#,
                ])
            for line in ["post left", "post answered"] {
                let said = try ended.errors.split(separator: "\n").compactMap { text -> String? in
                    let fields = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
                    guard fields?["msg"] as? String == line else { return nil }
                    #expect(fields?["post"] is Int && fields?["first"] is Int, "\(text)")
                    return fields?["traceparent"] as? String ?? "none"
                }
                #expect(said.sorted() == [Self.one, Self.one, "\(Self.one) \(Self.two)", "none"], "\(line)")
            }
        }
    }
}
