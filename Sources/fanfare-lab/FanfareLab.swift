import ArgumentParser
import CommandLineTool
import Postgres
import PostgresServer
import PushModel

/// The program `fanfare-lab`, for developers of this repository: shows Fanfare running, and lends private servers. Nothing of it
/// is installed anywhere.
@main
struct FanfareLab: Program {
    static let configuration = CommandConfiguration(
        commandName: "fanfare-lab", abstract: "Show Fanfare at work, or work beside a private server.",
        discussion: """
            For development. bin/demo builds it and calls it.

            Example: fanfare-lab demo --messages 20000
            """,
        version: fanfareVersion, subcommands: [DemoCommand.self, PostgresCommand.self])

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
