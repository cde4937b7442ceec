import HTTPTransport
import Providers
import Signing
import Testing

@Suite struct ClockSkewTests {
    /// 1 January 2026, 00:00:30 UTC.
    private static let date = "Thu, 01 Jan 2026 00:00:30 GMT"

    @Test(arguments: [
        (1_767_225_630.4, 0.0), (1_767_225_750.9, 120), (1_767_225_510.9, -120),
    ])
    func theDateHeaderShowsHowFarOurClockIsAhead(receivedAt: Double, ahead: Double) throws {
        let response = Reply.Response(status: 201, headers: [("date", Self.date)])
        #expect(try hub.skew(of: Reply(id: 1, outcome: .answered(response), receivedAt: receivedAt)) == ahead)
    }

    @Test func withoutADateHeaderTheSkewIsUnknown() throws {
        #expect(try hub.skew(of: Reply(id: 1, outcome: .answered(.init(status: 201)), receivedAt: 1)) == nil)
        let fault = Reply.Fault(code: 28, text: "timeout")
        #expect(try hub.skew(of: Reply(id: 1, outcome: .unknown(fault), receivedAt: 1)) == nil)
    }

    private var hub: NotificationHubs {
        get throws {
            let text = "Endpoint=http://127.0.0.1:1/;SharedAccessKeyName=k;SharedAccessKey=aw=="
            return try NotificationHubs(connection: try ConnectionString(parsing: text), hub: "news")
        }
    }
}
