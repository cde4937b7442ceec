import Configuration
import CommandLineTool
import ArgumentParser
import HTTPTransport

/// `fanfare healthcheck`
struct Healthcheck: ReportingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask the worker on this machine whether it works; exits 0 or 1.",
        discussion: """
            Asks http://<console.listen>/readyz (the first address), which a running worker answers: 200 when its database \
            answers and takes changes, and it takes work. For containers and load balancers that have no curl. Waits at most 3 s.

            Example: fanfare healthcheck --live
            """)

    @Flag(help: "Ask /livez instead: whether its loop turns, even without a database.") var live = false
    @Option(help: ArgumentHelp("Ask there instead of at console.listen.", valueName: "host:port")) var at: String?
    @OptionGroup var options: ReportOptions

    func report() async throws -> Report {
        let url = "http://\(try address())/\(live ? "livez" : "readyz")"
        let (isWell, words) = try await Self.ask(url)
        return Report(
            "\(isWell ? "ok" : "not ok"): \(words.onOneLine)",
            ["ok": .flag(isWell), "url": .text(url), "answer": .text(words)], status: isWell ? .ok : .someFailed)
    }

    private func address() throws -> String {
        if let at {
            guard let given = ListenAddress(at) else {
                throw Failure(
                    "cannot ask \(at)", because: "it is not HOST:PORT", hint: "Such as 127.0.0.1:9464.", status: .usage)
            }
            return Self.reachable(given)
        }
        guard let listen = try options.common.loadSettings(.database).console.listen.first else {
            throw Failure(
                "cannot ask the worker", because: "console.listen is \"off\", so it does not listen",
                hint: "Set console.listen, such as 127.0.0.1:9464.", status: .configuration)
        }
        return Self.reachable(listen)
    }

    /// A worker that listens everywhere listens here as well.
    private static func reachable(_ address: ListenAddress) -> String {
        switch address.host {
        case "0.0.0.0": return "127.0.0.1:\(address.port)"
        case "::": return "[::1]:\(address.port)"
        default: return address.description
        }
    }

    private static func ask(_ url: String) async throws -> (isWell: Bool, words: String) {
        var settings = TransportSettings()
        settings.slots = 1
        settings.connectTimeout = .seconds(1)
        settings.timeout = .seconds(3)
        let reply = try await Failure.saying("cannot ask the worker") {
            let transport = try HTTPClient(settings)
            let reply = await transport.perform(Request(method: .get, url: url, shared: SharedHeaders([])))
            await transport.shutdown()
            return reply
        }
        switch reply.outcome {
        case .answered(let response):
            let body = String(decoding: response.body.prefix(500), as: UTF8.self)
            return (response.status == 200, body.isEmpty ? "it answered \(response.status)" : body)
        case .notSent(let fault), .unknown(let fault):
            return (false, "\(url) does not answer: \(fault.text)")
        }
    }
}
