import CommandLineTool
import Daemon
import HTTPTransport
import Providers

extension Failure {
    /// Runs `body`; what its libraries throw becomes a failure with a status for the shell.
    static func saying<T>(_ what: String, _ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as UnfitDatabase {
            throw Failure(what, because: "\(error)", hint: error.remedy, status: status(of: error))
        } catch let error as TransportError {
            throw Failure(what, because: "\(error)", status: .unavailable)
        } catch let error as InvalidHub {
            throw Failure(what, because: "\(error)", status: .configuration)
        } catch let error as HealthServerError {
            throw Failure(
                what, because: "\(error)", hint: "Set \(error.setting) to another address, or to off.",
                status: .unavailable)
        } catch {
            throw Failure(of: error) ?? error
        }
    }

    /// Others may correct the clock, and systemd tries again. Settings wait for a person.
    private static func status(of unfit: UnfitDatabase) -> ExitStatus {
        switch unfit {
        case .clock: .tryLater
        case .settings: .configuration
        }
    }
}
