/// What the sources say about every key, the uppermost source first: command line, environment, `DATABASE_URL`,
/// credentials, settings file.
struct SettingsSources {
    /// One source, by dotted key.
    typealias Source = [String: SourcedValue]

    private let sources: [Source]

    /// - Parameters:
    ///   - environment: variables that are set and not empty.
    ///   - keys: every known key, as its components.
    init(commandLine: Source, environment: [String: String], credentials: Source, file: Source, keys: [[String]]) {
        sources = [
            commandLine, Self.variables(of: environment, keys: keys), Self.platform(environment), credentials, file,
        ]
    }

    /// The value of the uppermost source that has one; nil: no source has one.
    subscript(key: String) -> SourcedValue? {
        for source in sources {
            if let value = source[key] { return value }
        }
        return nil
    }

    /// `FANFARE_DISPATCH_LEASE_SECONDS` for `dispatch.leaseSeconds`: a capital after a small letter begins a new word,
    /// and anything but a letter or a digit becomes `_`.
    static func environmentName(of key: [String]) -> String {
        (["fanfare"] + key).map { component in
            var words = ""
            var last: Character?
            for character in component {
                if last?.isLowercase == true, character.isUppercase { words.append("_") }
                words.append(character)
                last = character
            }
            return String(words.uppercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
        }.joined(separator: "_")
    }

    /// The same without a `_` inside a component: `FANFARE_HUBS_NEWS_CONNECTIONSTRING`.
    static func shortEnvironmentName(of key: [String]) -> String {
        environmentName(of: key.map { $0.lowercased() })
    }

    private static func variables(of environment: [String: String], keys: [[String]]) -> Source {
        var source: Source = [:]
        for key in keys {
            let names = [environmentName(of: key), shortEnvironmentName(of: key)]
            guard let name = names.first(where: { environment[$0] != nil }), let text = environment[name] else {
                continue
            }
            source[key.joined(separator: ".")] = SourcedValue(value: .text(text), origin: .environment(name))
        }
        return source
    }

    /// The one variable that hosting platforms set and we read too.
    private static func platform(_ environment: [String: String]) -> Source {
        guard let url = environment["DATABASE_URL"] else { return [:] }
        return ["database.url": SourcedValue(value: .text(url), origin: .environment("DATABASE_URL"))]
    }
}

/// A value and the source it comes from. Variables are text for every kind of key; every other source has converted its
/// values.
struct SourcedValue {
    let value: SettingValue
    let origin: SettingOrigin
}

/// Where a value comes from, as `config print` shows it.
package enum SettingOrigin: Sendable, Equatable, CustomStringConvertible {
    case commandLine
    /// The variable's name.
    case environment(String)
    /// The file's path.
    case credential(String)
    /// The file's path, and the line of the key.
    case file(String, line: Int)
    case initial

    package var description: String {
        switch self {
        case .commandLine: "command line"
        case .environment(let name): name
        case .credential(let path): path
        case .file(let path, let line): "\(path), line \(line)"
        case .initial: "default"
        }
    }
}
