@testable import HTTPTransport

/// Lends a client to `body` and shuts it down afterwards.
func withClient<T>(
    _ change: (inout TransportSettings) -> Void = { _ in }, _ body: (HTTPClient) async throws -> T
) async throws -> T {
    var settings = TransportSettings.patient
    settings.slots = 64
    change(&settings)
    let client = try HTTPClient(settings)
    do {
        let result = try await body(client)
        await client.shutdown()
        return result
    } catch {
        await client.shutdown()
        throw error
    }
}

/// The reply to one request that `serve` answers.
func post(
    _ change: (inout TransportSettings) -> Void = { _ in }, _ serve: @escaping @Sendable (Peer) -> Void
) async throws -> Reply {
    let server = try LoopbackServer(serve)
    return try await withClient(change) { await $0.perform(request(7, to: server.url)) }
}

/// Sends `ids` through `channel`, never more at once than the window allows, and returns the replies.
func drive(_ ids: Range<Int64>, through channel: RequestChannel, _ window: Window, to url: String) async -> [Reply] {
    var next = ids.lowerBound
    var replies: [Reply] = []
    while replies.count < ids.count {
        let left = Int(ids.upperBound - next)
        let inFlight = Int(next - ids.lowerBound) - replies.count
        // With nothing in flight, only the window can be waited for.
        if left > 0, inFlight == 0 || window.inFlight < window.size {
            let places = await window.take(upTo: left)
            channel.submit((next..<next + Int64(places)).map { request($0, to: url, body: "\($0)") })
            next += Int64(places)
        }
        let more = await channel.replies()
        replies += more
        window.release(more.count, answered: more.count { $0.status != nil })
    }
    return replies
}

let noHeaders = SharedHeaders([])

func request(
    _ id: Int64 = 1, to url: String, method: Request.Method = .post, headers: [HeaderLine] = [], body: String = "{}"
) -> Request {
    Request(id: id, method: method, url: url, shared: noHeaders, headers: headers, body: Array(body.utf8))
}

extension Reply {
    var response: Response? { if case .answered(let response) = outcome { response } else { nil } }
    var status: Int? { response?.status }
    var unknown: Fault? { if case .unknown(let fault) = outcome { fault } else { nil } }
    var notSent: Fault? { if case .notSent(let fault) = outcome { fault } else { nil } }
}

extension TransportSettings {
    /// On a busy machine, or under a sanitizer, a test may take longer than the 15 s that a silent hub gets.
    static var patient: TransportSettings {
        var settings = TransportSettings()
        settings.connectTimeout = .seconds(120)
        settings.stallTimeout = .seconds(300)
        settings.timeout = .seconds(600)
        return settings
    }
}
