import PushModel

/// The categories of notifications that an app has registered on its Apple phones, with their buttons:
/// `{"INVITE_CATEGORY": [{"id": "accept", "title": "Accept", "options": ["foreground"]}]}`.
///
/// A push names one in `aps.category`. Case counts.
public struct CategoriesFile: Sendable, Equatable {
    private let categories: [String: [NotificationButton]]

    /// Bytes of a file.
    public static let sizeLimit = 1_048_576
    /// Categories of a file.
    static let categoryLimit = 1_000
    /// Buttons of a category. A phone shows four of them, or fewer.
    static let buttonLimit = 10
    /// Bytes of a name, an id or a title.
    static let textLimit = 256

    /// - Parameters:
    ///   - json: the file's content, UTF-8.
    ///   - file: its name, for errors.
    /// - Throws: `EmulatorError` naming the file, and the line, the category and the button at fault, with what is right there.
    public init(json: [UInt8], file: String) throws(EmulatorError) {
        do throws(EmulatorError) {
            categories = try CategoriesReader(json).categories()
        } catch {
            throw EmulatorError("\(file): \(error.description)")
        }
    }

    /// nil: no phone knows the category.
    func buttons(of category: String) -> [NotificationButton]? { categories[category] }

    /// In alphabetical order.
    var names: [String] { categories.keys.sorted() }
}

/// Reads the file and knows its lines.
private struct CategoriesReader {
    private let bytes: [UInt8]
    private let root: JSONNode

    private static let example =
        #"{"INVITE_CATEGORY": [{"id": "accept", "title": "Accept", "options": ["foreground"]}]}"#

    init(_ json: [UInt8]) throws(EmulatorError) {
        guard json.count <= CategoriesFile.sizeLimit else {
            throw EmulatorError("it has \(json.count) bytes; at most \(CategoriesFile.sizeLimit) are read")
        }
        // Editors on Windows write a byte order mark.
        bytes = json.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(json.dropFirst(3)) : json
        do throws(JSONError) {
            root = try JSONNode(bytes)
        } catch {
            let place = LocatedJSON.Place(of: error, in: bytes)
            throw EmulatorError("line \(place.line), column \(place.column): \(error.rule)")
        }
    }

    func categories() throws(EmulatorError) -> [String: [NotificationButton]] {
        guard case .object(let members) = root.value else {
            throw EmulatorError("it is no JSON object of categories, such as \(Self.example)")
        }
        guard members.count <= CategoriesFile.categoryLimit else {
            throw EmulatorError("it has \(members.count) categories; at most \(CategoriesFile.categoryLimit) are read")
        }
        var categories: [String: [NotificationButton]] = [:]
        for member in members {
            do throws(EmulatorError) {
                try check(member.name, "the name of a category", member.node)
                let buttons = try buttons(member.node)
                guard categories.updateValue(buttons, forKey: member.name) == nil else {
                    throw fault("the category stands twice: leave one out", member.node)
                }
            } catch {
                throw EmulatorError("\(String(member.name.prefix(80)).quoted): \(error.description)")
            }
        }
        return categories
    }

    private func buttons(_ node: JSONNode) throws(EmulatorError) -> [NotificationButton] {
        guard case .array(let elements) = node.value else {
            throw fault("it is no list of buttons, such as [{\"id\": \"accept\", \"title\": \"Accept\"}]", node)
        }
        guard elements.count <= CategoriesFile.buttonLimit else {
            throw fault("\(elements.count) buttons; a category has at most \(CategoriesFile.buttonLimit)", node)
        }
        var buttons: [NotificationButton] = []
        for (index, element) in elements.enumerated() {
            do throws(EmulatorError) {
                let button = try button(element)
                guard !buttons.contains(where: { $0.id == button.id }) else {
                    throw fault("the id \(button.id.quoted) stands twice: give each button its own", element)
                }
                buttons.append(button)
            } catch {
                throw EmulatorError("button \(index + 1): \(error.description)")
            }
        }
        return buttons
    }

    private func button(_ node: JSONNode) throws(EmulatorError) -> NotificationButton {
        guard case .object(let members) = node.value else {
            throw fault("it is no object, such as {\"id\": \"accept\", \"title\": \"Accept\"}", node)
        }
        var button = NotificationButton(id: "", title: "")
        for member in members {
            switch member.name {
            case "id": button.id = try text(member.node, "id")
            case "title": button.title = try text(member.node, "title")
            case "options": button.options = try options(member.node)
            case "textInput": button.textInput = try textInput(member.node)
            default: throw unknown(member.name, among: ["id", "title", "options", "textInput"], member.node)
            }
        }
        if button.id.isEmpty { throw fault("id is missing: it is what the app gets", node) }
        if button.title.isEmpty { throw fault("title is missing: it is what the phone shows", node) }
        return button
    }

    private func options(_ node: JSONNode) throws(EmulatorError) -> [NotificationButton.Option] {
        let words = NotificationButton.Option.allCases.map(\.rawValue)
        guard case .array(let elements) = node.value else {
            throw fault("options is no list of \(words.joined(separator: ", "))", node)
        }
        var options: [NotificationButton.Option] = []
        for element in elements {
            guard case .string(let word) = element.value, let option = NotificationButton.Option(rawValue: word) else {
                throw unknown(element.value.text ?? "", among: words, element)
            }
            if !options.contains(option) { options.append(option) }
        }
        return options
    }

    private func textInput(_ node: JSONNode) throws(EmulatorError) -> NotificationButton.TextInput? {
        switch node.value {
        case .bool(true): return NotificationButton.TextInput()
        case .bool(false): return nil
        case .object(let members):
            var input = NotificationButton.TextInput()
            for member in members {
                switch member.name {
                case "buttonTitle": input.buttonTitle = try text(member.node, "buttonTitle")
                case "placeholder": input.placeholder = try text(member.node, "placeholder")
                default: throw unknown(member.name, among: ["buttonTitle", "placeholder"], member.node)
                }
            }
            return input
        default:
            throw fault("textInput is true, or {\"buttonTitle\": \"Send\", \"placeholder\": \"Message\"}", node)
        }
    }

    private func text(_ node: JSONNode, _ name: String) throws(EmulatorError) -> String {
        guard case .string(let text) = node.value else { throw fault("\(name) is no string", node) }
        try check(text, name, node)
        return text
    }

    private func check(_ text: String, _ what: String, _ node: JSONNode) throws(EmulatorError) {
        guard !text.isEmpty, text.utf8.count <= CategoriesFile.textLimit else {
            throw fault("\(what) has 1 to \(CategoriesFile.textLimit) bytes", node)
        }
    }

    private func unknown(_ word: String, among known: [String], _ node: JSONNode) -> EmulatorError {
        let shown = String(word.prefix(80))
        let near = DidYouMean.nearest(to: shown, in: known, tolerance: .two).map { "; did you mean \($0)?" }
        return fault("\(shown.quoted) is none of \(known.joined(separator: ", "))\(near ?? "")", node)
    }

    private func fault(_ text: String, _ node: JSONNode) -> EmulatorError {
        let place = LocatedJSON.Place(of: node.range.lowerBound, in: bytes)
        return EmulatorError("\(text) (line \(place.line))")
    }
}
