import Foundation

/// The language of a device, guessed from its tags and templates; only for display.
struct DeviceLanguage: Sendable, Equatable {
    /// As found: `fr`, `pt-BR`, `French`.
    let word: String
    /// BCP 47, for the HTML attribute `lang`; nil: unknown.
    let code: String?

    /// From a tag such as `lang:fr`, `locale:fr-FR`, `language_fr`, or a bare `fr-FR`; else from the ending of a
    /// property in its templates: `$(News_French)`.
    init?(of installation: Installation) {
        for tag in installation.tags ?? [] {
            if let word = Self.word(in: tag) {
                self.init(word)
                return
            }
        }
        for template in (installation.templates ?? [:]).sorted(by: { $0.key < $1.key }) {
            if let word = Self.ending(of: template.value.body) {
                self.init(word)
                return
            }
        }
        return nil
    }

    private init(_ word: String) {
        self.word = word
        code = Self.isCode(word) ? word.replacingOccurrences(of: "_", with: "-") : Self.codes[word.lowercased()]
    }

    /// `French · fr`, or only the word found.
    var text: String {
        guard let code, let name = Locale(identifier: "en").localizedString(forIdentifier: code), name != code else {
            return word
        }
        return word.lowercased() == name.lowercased() ? name : "\(name) · \(word)"
    }

    private static func word(in tag: String) -> String? {
        let lower = tag.lowercased()
        for prefix in ["language", "lang", "locale", "lng"] where lower.hasPrefix(prefix) {
            let rest = tag.dropFirst(prefix.count)
            guard let mark = rest.first, ":_-=".contains(mark), isName(rest.dropFirst()) else { continue }
            return String(rest.dropFirst())
        }
        // A bare `fr` may be anything; with a region it is a locale.
        return tag.count >= 5 && isCode(tag) && (tag.contains("-") || tag.contains("_")) ? tag : nil
    }

    /// Whether it begins with at least two letters, as codes and names of languages do; the `1` of `lang_1` does not.
    private static func isName(_ text: Substring) -> Bool {
        let first = text.prefix { $0 != "-" && $0 != "_" }
        return first.count >= 2 && first.allSatisfy(\.isLetter)
    }

    /// `fr`, `fr-FR`, `zh_Hans_CN`.
    private static func isCode(_ word: String) -> Bool {
        let parts = word.split(whereSeparator: { $0 == "-" || $0 == "_" })
        guard let first = parts.first, (2...3).contains(first.count), parts.count <= 3 else { return false }
        guard first.allSatisfy({ $0.isASCII && $0.isLowercase }) else { return false }
        return parts.dropFirst().allSatisfy { part in
            (part.count == 2 && part.allSatisfy { $0.isASCII && $0.isUppercase })
                || (part.count == 4 && part.first?.isUppercase == true)
        }
    }

    /// The part after the last `_` in the first property that has one.
    private static func ending(of template: String) -> String? {
        for piece in template.split(separator: "$(").dropFirst() {
            let name = piece.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
            guard let underscore = name.lastIndex(of: "_") else { continue }
            let word = String(name[name.index(after: underscore)...])
            if isCode(word.lowercased()) || codes[word.lowercased()] != nil { return word }
        }
        return nil
    }

    /// English names of languages, in lower case, with their codes.
    private static let codes: [String: String] = {
        let english = Locale(identifier: "en")
        var codes = ["mandarin": "zh", "chinese": "zh"]
        for code in Locale.LanguageCode.isoLanguageCodes where code.identifier.count == 2 {
            guard let name = english.localizedString(forLanguageCode: code.identifier) else { continue }
            codes[name.lowercased()] = code.identifier
        }
        return codes
    }()
}
