import Glibc
import HTTPTransport
import Meter

/// Posts to a sink as fast as possible and prints one line.
///
///     TransportBench URL REQUESTS IN-FLIGHT MODE [CA-FILE [FILE]]
///
/// | MODE | |
/// |---|---|
/// | `batch`, `perform` | posts to a hub over HTTP/1.1, in batches or one by one |
/// | `start` | the same in batches with no more submitted than are in flight; also prints `longest_ms`: the longest time from submitting a request to its reply, from the first request of the warm-up on |
/// | `http1` | pushes to iPhones in batches over HTTP/1.1; here and below URL has no path |
/// | `http2`, `http2-six` | the same over one connection of HTTP/2, or over six of 100 streams; with 0 REQUESTS it only waits, until its memory has been looked at |
/// | `endings` | the same over one connection, without a warm-up. What was certainly not sent is sent again. FILE gets one byte for each request: 1 answered, 2 in doubt, 3 refused |
///
/// CA-FILE is trusted in place of the system's certificates.
@main
struct TransportBench {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 5, let total = Int(arguments[2]), let inFlight = Int(arguments[3]),
            let mode = Mode(rawValue: arguments[4]), mode != .endings || arguments.count == 7
        else {
            print("usage: TransportBench URL REQUESTS IN-FLIGHT MODE [CA-FILE [FILE]]")
            exit(64)
        }
        var settings = TransportSettings()
        settings.slots = inFlight
        settings.caBundle = arguments.count > 5 ? arguments[5] : nil
        settings.http2 = mode.http2
        let client = try HTTPClient(settings)
        let load: any Load = mode.isToApple ? try AppleLoad(url: arguments[1]) : try HubLoad(url: arguments[1])
        let driver = Driver(client: client, load: load, inFlight: inFlight)
        let warmUp = mode == .endings ? 0 : min(2000, total)
        let cold = try await driver.drive(warmUp, mode)

        let before = client.counters
        let meter = Meter()
        let tally = try await driver.drive(total, mode)
        if total == 0 { try await Task.sleep(for: .milliseconds(500)) }
        let figures = meter.figures(of: total)
        let after = client.counters
        let loopCPU = (after.cpuSeconds - before.cpuSeconds) * 1e6 / Double(max(1, total))
        print(
            figures, "loop_us/req=\(loopCPU.rounded2) failed=\(total - tally.accepted) warm_up=\(warmUp)",
            "connections=\(after.connectionsOpened) wakes=\(after.wakeUps - before.wakeUps)",
            "epoll_ctl=\(after.epollChanges - before.epollChanges) turns=\(after.turns - before.turns)",
            mode == .start ? "longest_ms=\(max(cold.longest, tally.longest).rounded2)" : "",
            mode == .endings ? "in_doubt=\(tally.inDoubt) sent_again=\(tally.sentAgain)" : "")
        if mode == .endings { try tally.write(to: arguments[6]) }
        await client.shutdown()
    }
}

enum Mode: String {
    case batch, perform, start, http1, http2
    case sixConnections = "http2-six"
    case endings

    var isToApple: Bool { self == .http1 || http2 != nil }

    var http2: HTTP2Settings? {
        var settings = HTTP2Settings()
        switch self {
        case .http2, .endings: return settings
        case .sixConnections:
            settings.connections = 6
            settings.streams = 100
            return settings
        default: return nil
        }
    }
}

extension Driver {
    func drive(_ total: Int, _ mode: Mode) async throws -> Tally {
        switch mode {
        case .perform: try await perform(total)
        case .start: try await start(total)
        case .endings: try await sendAgain(total)
        default: try await batch(total)
        }
    }
}
