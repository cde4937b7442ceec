import CLibpq

/// The options of libpq's connection strings: which one its words are about, and which one a misspelt name means.
enum ConninfoOption {
    /// The options that this libpq knows, with the variable of the environment that sets each; nil: no variable.
    static let known: [String: String?] = {
        var known: [String: String?] = [:]
        guard let defaults = PQconndefaults() else { return known }
        defer { PQconninfoFree(defaults) }
        var option = defaults
        while let keyword = option.pointee.keyword {  // the list ends with a null keyword
            known.updateValue(option.pointee.envvar.map { String(cString: $0) }, forKey: String(cString: keyword))
            option += 1
        }
        return known
    }()

    /// The option whose value libpq refuses with these words; nil: they are about something else.
    static func refused(by message: String) -> String? {
        if let match = message.firstMatch(of: #/invalid ([a-z_]+) value: /#), known[String(match.1)] != nil {
            return String(match.1)
        }
        if let match = message.firstMatch(of: #/invalid integer value ".*" for connection option "([a-z_]+)"/#) {
            return String(match.1)
        }
        return words.first(where: { message.contains($0.words) })?.option
    }

    private static let words: [(words: String, option: String)] = [
        ("invalid port number: ", "port"), (" port numbers to ", "port"),
        (" host names to ", "hostaddr"), ("invalid SSL protocol version range", "ssl_min_protocol_version"),
        ("definition of service ", "service"), ("root certificate file ", "sslrootcert"),
    ]

    /// Where a person sets it.
    static func places(of option: String) -> String {
        let variable = (known[option] ?? nil).map { ", or \($0)" } ?? ""
        return "correct \(option) in the connection string, its service\(variable)"
    }

    /// The known option that a word is almost: in another case, with other separators, or with a letter too many or too few
    /// at its end. Any other word may be a piece of a password, and is not named.
    static func meant(by word: some StringProtocol) -> String? {
        let plain = plain(word)
        guard plain.count >= 4 else { return nil }
        return known.keys.sorted().first { option in
            let option = Self.plain(option)
            return option == plain || option.hasPrefix(plain)
                || plain.hasPrefix(option) && plain.count <= option.count + 2
        }
    }

    private static func plain(_ word: some StringProtocol) -> String {
        word.lowercased().filter { $0 != "_" && $0 != "-" }
    }
}
