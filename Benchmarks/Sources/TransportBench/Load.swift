import HTTPTransport
import Meter

/// The requests of a run, by their numbers.
protocol Load: Sendable {
    func request(_ id: Int) throws -> Request
}

/// Posts to a notification hub.
struct HubLoad: Load {
    let url: String
    let shared: SharedHeaders
    let body = Array(Sample.body.utf8)

    init(url: String) throws {
        self.url = url
        shared = SharedHeaders(try Sample.headers.map { try HeaderLine($0.0, $0.1) })
    }

    func request(_ id: Int) throws -> Request {
        let (name, value) = Sample.tags(of: id)
        return Request(id: Int64(id), url: url, shared: shared, headers: [try HeaderLine(name, value)], body: body)
    }
}

/// Pushes to iPhones.
struct AppleLoad: Load {
    let urls: [String]
    let shared: SharedHeaders
    let body = Array(ApplePost.body.utf8)

    init(url: String) throws {
        urls = ApplePost.paths.map { url + $0 }
        shared = SharedHeaders(try ApplePost.headers.map { try HeaderLine($0.0, $0.1) })
    }

    func request(_ id: Int) throws -> Request {
        let headers = try ApplePost.headers(of: id).map { try HeaderLine($0.0, $0.1) }
        return Request(id: Int64(id), url: urls[id % urls.count], shared: shared, headers: headers, body: body)
    }
}

extension Reply {
    var isAccepted: Bool {
        if case .answered(let response) = outcome { response.status == 201 || response.status == 200 } else { false }
    }
}
