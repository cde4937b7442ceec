import Signing
import Testing

extension ServiceBench {
    /// People of a console by name, with their rights. Each one's password is the name.
    typealias Persons = KeyValuePairs<String, String>

    /// Writes config.json with pages at a free port, behind a login of their own. Parts of pages wait longer than other tests keep a
    /// machine busy.
    ///
    /// - Parameter members: more of `console`, such as `"readOnly": true`.
    func configureConsole(_ persons: Persons, members: String = "") async throws {
        let login = try await test.login(as: "push_console")
        let users = persons.map { name, rights in
            #""\#(name)": {"may": "\#(rights)", "password": "\#(PasswordHash.make(of: name).text)"}"#
        }
        let more = members.isEmpty ? "" : ", \(members)"
        try configure(
            rest: """
                , "console": {"pages": "127.0.0.1:0", "databaseURL": "\(login.conninfo)", "statementSeconds": 60\(more),
                 "users": {\(users.joined(separator: ", "))}}
                """)
    }

    /// Where the pages of a started process are, which is logged before it is ready: `http://127.0.0.1:40001/`.
    func consoleAddress() throws -> String { try #require(try logged("serving the console", "at").first) }

    func consolePort() throws -> Int {
        let address = try consoleAddress()
        return Int(address.split(separator: ":").last?.prefix { $0.isNumber } ?? "") ?? 0
    }
}
