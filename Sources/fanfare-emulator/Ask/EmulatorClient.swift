import CommandLineTool
import Concurrency
import Foundation
import HTTPTransport
import Signing

/// Talks to a running emulator under `/_emulator/`.
struct EmulatorClient: Sendable {
    struct Answer: Sendable {
        let status: Int
        let body: [UInt8]
        var text: String { String(decoding: body, as: UTF8.self) }
        /// As the emulator wrote it.
        var json: JSONOutput { .written(text) }
    }

    /// Where it listens.
    let address: String
    private let transport: HTTPClient

    /// Lends a client for as long as `body` runs.
    ///
    /// - Throws: what `body` throws, and `Failure` when the transport cannot start.
    static func open<Value>(
        _ emulator: EmulatorOptions, _ options: CommandOptions, _ body: (EmulatorClient) async throws -> Value
    )
        async throws -> Value
    {
        var settings = TransportSettings()
        settings.slots = 1
        settings.connectTimeout = .seconds(2)
        settings.timeout = .seconds(90)
        settings.stallTimeout = .seconds(90)  // a wait is silent for most of a minute
        settings.keptBody = 268_435_456
        let address = try emulator.address(options)
        let transport = try Failure.wrapping("cannot ask the emulator", status: .unavailable) {
            try HTTPClient(settings)
        }
        let client = EmulatorClient(address: "\(address)", transport: transport)
        return try await withCleanup {
            try await body(client)
        } then: {
            await transport.shutdown()
        }
    }

    private var base: String { "http://\(address)/_emulator/" }

    /// - Parameter path: after `/_emulator/`, with its query.
    /// - Throws: `Failure` when no emulator answers there, or it refuses; `accepting`: further statuses that count as success.
    func ask(_ method: Request.Method = .get, _ path: String, body: [UInt8] = [], accepting: Set<Int> = [])
        async throws -> Answer
    {
        let headers = SharedHeaders(body.isEmpty ? [] : [try HeaderLine("Content-Type", "application/json")])
        let reply = await transport.perform(Request(method: method, url: base + path, shared: headers, body: body))
        switch reply.outcome {
        case .answered(let response):
            let answer = Answer(status: response.status, body: response.body)
            if (200..<300).contains(response.status) || accepting.contains(response.status) { return answer }
            struct Problem: Decodable { let error: String }
            let problem = try? JSONDecoder().decode(Problem.self, from: Data(response.body))
            throw Failure(
                "the emulator refuses", because: problem?.error ?? "it answered \(response.status)",
                status: (400..<500).contains(response.status) ? .badInput : .unavailable)
        case .notSent(let fault), .unknown(let fault):
            throw Failure(
                "cannot ask the emulator", because: "\(base) does not answer: \(fault.text)",
                hint: "Start one: fanfare-emulator; or name its address: --at HOST:PORT", status: .unavailable)
        }
    }

    /// - Throws: as `ask`, and `Failure` when the answer is not what an emulator answers.
    func read<Value: Decodable>(_ path: String, as type: Value.Type) async throws -> Value {
        try Self.decode(try await ask(.get, path), as: type)
    }

    static func decode<Value: Decodable>(_ answer: Answer, as _: Value.Type) throws -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(answer.body))
        } catch {
            throw Failure(
                "cannot read the answer", because: "it does not come from an emulator of this version",
                status: .unavailable)
        }
    }

    /// For a path's segment or a query's value.
    static func encoded(_ text: String) -> String { PercentEncoding.encode(text) }
}

/// What an emulator answered, written as JSON again, one value on one line.
enum CompactJSON {
    static func line(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
