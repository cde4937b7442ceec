import Foundation
import PushModel

/// Reads the Atom entry with the description of a registration; `RegistrationBody` interprets it.
struct RegistrationReader {
    private(set) var kind: RegistrationKind?
    /// The description's elements by name, without those marked `i:nil`; trimmed.
    private(set) var fields: [String: String] = [:]
    /// Of `WnsHeaders` and the other lists of headers.
    private(set) var headers: [String: String] = [:]

    private var scanner: XMLScanner
    private var scope = NamespaceScope()
    /// The open elements, without their prefixes.
    private var path: [String] = []
    private var seen: Set<String> = []
    private var stage = RegistrationKind.Stage.common
    private var isNil = false
    private var header: (name: String?, value: String?)

    /// Nested elements. A registration has six.
    static let depthLimit = 16

    private static let notXML = EmulatorError("The registration is not XML.")
    private static let notAnEntry = EmulatorError(
        "The registration is not an Atom entry with a RegistrationDescription in its content.")

    /// - Throws: `EmulatorError` when the bytes are not XML in UTF-8, or not an Atom entry with one description and its
    ///   parts in order.
    init(_ bytes: [UInt8]) throws(EmulatorError) {
        scanner = XMLScanner(bytes)
        guard let text = String(validating: bytes, as: UTF8.self)?.trimmingPrefix("\u{FEFF}") else {
            throw EmulatorError("The registration is not in UTF-8.")
        }
        guard text.first(where: { !$0.isWhitespace }) == "<" else { throw Self.notAnEntry }
        guard text.unicodeScalars.allSatisfy(\.isInXML) else { throw Self.notXML }
        try Self.checkDeclaration(of: text)
        guard !text.unicodeScalars.contains("<!DOCTYPE".unicodeScalars) else {
            throw EmulatorError("A registration has no DOCTYPE.")
        }
        while let event = try next() {
            switch event {
            case .start: try start(scanner.elementName)
            case .attribute(let value):
                if scanner.attributeName.hasSuffix("nil"), XMLText.decodeAttribute(bytes, value) == "true" {
                    isNil = true
                }
            case .end(let text, _): end(text)
            case .instruction: throw EmulatorError("A registration has no processing instructions.")
            }
        }
        guard kind != nil else { throw Self.notAnEntry }
    }

    /// `XMLScanner` does not look inside the declaration.
    private static func checkDeclaration(of text: Substring) throws(EmulatorError) {
        guard text.prefixMatch(of: /<\?xml\s/) != nil else { return }
        let whole =
            #/
            <\?xml\s+version\s*=\s*["']1\.\d+["']
            (?:\s+encoding\s*=\s*["']([^"']*)["'])?
            (?:\s+standalone\s*=\s*["']\w+["'])?\s*\?>
            /#
        guard let declaration = text.prefixMatch(of: whole) else { throw notXML }
        if let encoding = declaration.output.1, encoding.lowercased() != "utf-8" {
            throw EmulatorError("The registration is not in UTF-8.")
        }
    }

    private mutating func next() throws(EmulatorError) -> XMLScanner.Event? {
        let event: XMLScanner.Event?
        do throws(XMLError) {
            event = try scanner.next()
        } catch {
            throw Self.notXML
        }
        if let event, !scope.follow(event, of: scanner) { throw Self.notXML }
        return event
    }

    private mutating func start(_ element: String) throws(EmulatorError) {
        let name = element.split(separator: ":").last.map(String.init) ?? ""
        path.append(name)
        isNil = false
        guard path.count <= Self.depthLimit else { throw EmulatorError("The registration is nested too deeply.") }
        guard path.prefix(2) == ["entry", "content"] else { return }
        if path.count == 3 {
            guard kind == nil else { throw EmulatorError("The registration has two descriptions.") }
            guard let kind = RegistrationKind(element: name) else {
                throw EmulatorError("There is no kind of registration named \(name.prefix(100)).")
            }
            self.kind = kind
        } else if path.count == 4, let kind {
            guard let stage = kind.stage(of: name) else {
                throw EmulatorError("A \(kind.element) has no element \(name.prefix(100)).")
            }
            guard seen.insert(name).inserted else { throw EmulatorError("\(name) occurs twice in the registration.") }
            guard stage >= self.stage else {
                throw EmulatorError("\(name) comes too late: the order of a registration's elements matters.")
            }
            self.stage = stage
        } else if path.count == 5 {
            header = (nil, nil)
        }
    }

    private mutating func end(_ text: [Range<Int>]) {
        if kind != nil, path.prefix(2) == ["entry", "content"], let name = path.last {
            let value = XMLText.decodeText(scanner.bytes, text).trimmingCharacters(in: .whitespacesAndNewlines)
            switch (path.count, name) {
            case (4, _) where !isNil: fields[name] = value
            case (5, _):
                if let name = header.name, !name.isEmpty { headers[name] = header.value ?? "" }
            case (6, "Header"): header.name = value
            case (6, "Value"): header.value = value
            default: break
            }
        }
        path.removeLast()
        isNil = false
    }
}
