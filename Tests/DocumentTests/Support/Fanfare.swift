import Foundation
import ProgramSupport

/// The built command, beside the test bundle.
enum Fanfare {
    static let path = BuiltProgram.path(of: "fanfare")

    /// The directory of the command, for a PATH.
    static var directory: String { URL(filePath: path).deletingLastPathComponent().path() }

    static let tool = Tool(path)
}
