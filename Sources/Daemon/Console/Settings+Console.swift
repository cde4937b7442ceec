import Configuration
import Console
import HTTPTypes
import Logging
import Postgres
import PushModel
import Signing

extension Settings {
    /// What the pages of the console are told about this installation.
    ///
    /// - Parameter version: of the program.
    public func consoleOptions(version: String) -> ConsoleOptions {
        var options = ConsoleOptions()
        options.name = console.name
        options.basePath = console.basePath
        options.isReadOnly = console.isReadOnly
        options.statementSeconds = console.statementSeconds
        options.version = version
        options.settings = describe().map { SettingLine(name: $0.key, value: $0.value, source: $0.source) }
        return options
    }

    /// The same settings, with the login of the console's pages.
    var withConsoleLogin: Settings {
        var own = self
        if let url = console.databaseURL { own.database.url = url }
        return own
    }

    /// Who may enter, and by which way.
    var doorSettings: DoorSettings {
        DoorSettings(
            people: People(
                console.users.map { name, user in
                    Account(Person(name, rights: user.may), password: user.passwordHash)
                }),
            hosts: console.hosts, proxies: console.proxies,
            userHeader: console.userHeader.flatMap { HTTPField.Name($0) })
    }

    /// A database for a console's pages, or for its actions; opens nothing yet.
    ///
    /// - Parameters:
    ///   - sessions: at most.
    ///   - warnings: gets what the server warns of; nil: the log does.
    public func makeDatabase(log: Logger, sessions: Int, warnings: SpokenWarnings? = nil) -> Postgres.Database {
        var own = self
        own.database.maximumConnections = sessions
        guard let warnings else { return own.makeDatabase(log: log, name: "fanfare-console") }
        return own.makeDatabase(log: log, name: "fanfare-console") { notice in
            warnings.add(notice.message, hint: notice.hint)
        }
    }
}
