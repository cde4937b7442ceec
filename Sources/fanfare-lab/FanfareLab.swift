import ArgumentParser
import CommandLineTool
import Postgres
import PostgresServer
import PushModel

/// The program `fanfare-lab`, for developers of this repository: shows Fanfare running, breaks it on purpose, and lends
/// private servers. Nothing of it is installed anywhere.
@main
struct FanfareLab: Program {
    static let configuration = CommandConfiguration(
        commandName: "fanfare-lab", abstract: "Show Fanfare at work, and break it on purpose.",
        discussion: """
            For development. bin/demo and bin/chaos build it and call it.

            Example: fanfare-lab demo --messages 20000
            """,
        version: fanfareVersion, subcommands: [DemoCommand.self, ChaosCommand.self, PostgresCommand.self])

    static func failure(of error: any Error) -> Failure? {
        if let error = error as? TemporaryServerError {
            return Failure(
                "no private PostgreSQL", because: "\(error)", hint: "bin/setup installs its programs.",
                status: .unavailable)
        }
        if let error = error as? DatabaseError {
            return Failure("cannot \(error.doing)", because: error.why, status: .unavailable)
        }
        return error as? Failure
    }
}
