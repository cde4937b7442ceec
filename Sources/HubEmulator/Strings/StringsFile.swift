import PushModel

/// The texts of an app by language and key, which phones look up for the loc keys of a push:
/// `{"fr": {"welcome_title": "Bienvenue, %1$s !"}}`.
///
/// A phone whose language is `fr-CA` looks in `fr-CA`, then in `fr`, then in `default`. Case, and `_` for `-`, do not count
/// in the names of languages; they do in keys.
public struct StringsFile: Sendable, Equatable {
    /// By the folded name of the language, then by key.
    let languages: [String: [String: FormatString]]

    /// Bytes of a file.
    public static let sizeLimit = 4_194_304
    /// Languages of a file.
    static let languageLimit = 500
    /// Keys of a language.
    static let keyLimit = 20_000
    /// Bytes of a key or a text.
    static let textLimit = 4_096
    /// The language of phones for which no other one fits.
    static let fallback = "default"

    /// - Parameters:
    ///   - json: the file's content, UTF-8.
    ///   - file: its name, for errors.
    /// - Throws: `EmulatorError` naming the file, and the language and key at fault, or the line and column of what is no
    ///   JSON.
    public init(json: [UInt8], file: String) throws(EmulatorError) {
        do throws(EmulatorError) {
            languages = try Self.read(json)
        } catch {
            throw EmulatorError("\(file): \(error.description)")
        }
    }

    /// nil: neither the language, nor a wider one, nor `default` has the key.
    ///
    /// - Parameter language: nil: unknown, so only `default` counts.
    func format(_ key: String, language: String?) -> FormatString? {
        var name = Self.folded(language ?? Self.fallback)
        while true {
            if let format = languages[name]?[key] { return format }
            guard let end = name.lastIndex(of: "-") else { break }
            name = String(name[..<end])
        }
        return languages[Self.fallback]?[key]
    }

    /// The languages that have the key, folded, in alphabetical order.
    func languages(with key: String) -> [String] { languages.filter { $0.value[key] != nil }.keys.sorted() }

    private static func read(_ json: [UInt8]) throws(EmulatorError) -> [String: [String: FormatString]] {
        guard json.count <= sizeLimit else {
            throw EmulatorError("it has \(json.count) bytes; at most \(sizeLimit) are read")
        }
        let root: LocatedJSON.Node
        do throws(LocatedJSON.Fault) {
            root = try LocatedJSON(json).root
        } catch {
            throw EmulatorError("line \(error.place.line), column \(error.place.column): expected \(error.expected)")
        }
        guard case .object(let members) = root else {
            throw EmulatorError(#"it is no JSON object of languages, such as {"fr": {"welcome_title": "Bienvenue"}}"#)
        }
        guard members.count <= languageLimit else {
            throw EmulatorError("it has \(members.count) languages; at most \(languageLimit) are read")
        }
        var languages: [String: [String: FormatString]] = [:]
        for member in members {
            guard isLanguage(member.name) else {
                throw EmulatorError(
                    "line \(member.place.line): \(member.name.quoted) is no language, such as fr, pt-BR or default")
            }
            do throws(EmulatorError) {
                let texts = try texts(of: member.node)
                guard languages.updateValue(texts, forKey: folded(member.name)) == nil else {
                    throw EmulatorError("the language stands twice (line \(member.place.line))")
                }
            } catch {
                throw EmulatorError("\(member.name): \(error.description)")
            }
        }
        return languages
    }

    private static func texts(of node: LocatedJSON.Node) throws(EmulatorError) -> [String: FormatString] {
        guard case .object(let members) = node else { throw EmulatorError("it is no JSON object of texts by key") }
        guard members.count <= keyLimit else {
            throw EmulatorError("it has \(members.count) keys; at most \(keyLimit) are read")
        }
        var texts: [String: FormatString] = [:]
        for member in members {
            do throws(EmulatorError) {
                let format = try format(member.node, key: member.name)
                guard texts.updateValue(format, forKey: member.name) == nil else {
                    throw EmulatorError("the key stands twice")
                }
            } catch {
                throw EmulatorError("\(member.name.quoted): \(error.description) (line \(member.place.line))")
            }
        }
        return texts
    }

    private static func format(_ node: LocatedJSON.Node, key: String) throws(EmulatorError) -> FormatString {
        guard case .text(let text) = node else { throw EmulatorError("its value is no string") }
        guard (1...textLimit).contains(key.utf8.count) else {
            throw EmulatorError("a key has 1 to \(textLimit) bytes")
        }
        guard text.utf8.count <= textLimit else {
            throw EmulatorError("the text has \(text.utf8.count) bytes; at most \(textLimit) are read")
        }
        do throws(FormatString.Fault) {
            return try FormatString(text)
        } catch {
            throw EmulatorError("character \(error.position): \(error.rule)")
        }
    }

    /// `fr`, `pt-BR`, `zh_Hans_CN`, `default`.
    private static func isLanguage(_ name: String) -> Bool {
        let parts = name.utf8.split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        return name.utf8.count <= 40 && (2...8).contains(parts.first?.count ?? 0)
            && parts.allSatisfy { part in
                (1...8).contains(part.count)
                    && part.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) || $0 &- 48 < 10 }
            }
    }

    private static func folded(_ language: String) -> String {
        language.lowercased().replacing(scalars: "_", with: "-")
    }
}
