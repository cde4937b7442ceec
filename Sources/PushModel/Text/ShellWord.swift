/// A text as one word of a command line that is shown to people, so that it can be pasted as it stands.
package enum ShellWord {
    /// In single quotes unless it is plain: `shop`, `'two words'`, `'it'\''s'`.
    package static func text(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                switch byte {
                case 43...58, 61, 64...90, 95, 97...122: true  // + , - . / 0-9 : = @ A-Z _ a-z
                default: false
                }
            }
        return isPlain ? word : quoted(word)
    }

    /// In single quotes, whatever it is.
    package static func quoted(_ word: String) -> String { "'" + word.replacing(scalars: "'", with: "'\\''") + "'" }
}
