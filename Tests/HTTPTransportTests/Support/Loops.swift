@testable import HTTPTransport

/// Lends a loop to `body` and shuts it down afterwards.
func withLoop<T>(
    _ change: (inout TransportSettings) -> Void = { _ in }, _ body: (HTTPClient) async throws -> T
) async throws -> T {
    var settings = TransportSettings.patient
    settings.slots = 64
    change(&settings)
    let loop = try HTTPClient(settings)
    do {
        let result = try await body(loop)
        await loop.shutdown()
        return result
    } catch {
        await loop.shutdown()
        throw error
    }
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
    /// A busy machine, or a sanitizer, may hold a test up for longer than the 15 s that a silent hub gets.
    static var patient: TransportSettings {
        var settings = TransportSettings()
        settings.connectTimeout = .seconds(120)
        settings.stallTimeout = .seconds(300)
        settings.timeout = .seconds(600)
        return settings
    }
}
