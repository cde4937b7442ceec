/// Where a value came from, as `config print` shows it.
enum SettingOrigin: Sendable, Equatable, CustomStringConvertible {
    case commandLine
    /// The variable's name.
    case environment(String)
    /// The file's path.
    case credential(String)
    /// The file's path, and the line of the key.
    case file(String, line: Int)
    case initial

    var description: String {
        switch self {
        case .commandLine: "command line"
        case .environment(let name): name
        case .credential(let path): path
        case .file(let path, let line): "\(path), line \(line)"
        case .initial: "default"
        }
    }
}
