import Foundation
import FoundationXML

/// Reads the Atom entry with the description of a registration; `RegistrationBody` says what it means.
///
/// Nothing outside of the text is ever opened: a DOCTYPE, which entities need, is refused before the parser sees it.
final class RegistrationReader: NSObject, XMLParserDelegate {
    private(set) var kind: RegistrationKind?
    /// The description's elements by name, without those that say `i:nil`; white space at the ends is cut off.
    private(set) var fields: [String: String] = [:]
    /// Of `WnsHeaders` and its like.
    private(set) var headers: [String: String] = [:]

    private var failure: EmulatorError?
    private var isBroken = false
    /// The names of the elements that are open.
    private var path: [String] = []
    private var seen: Set<String> = []
    private var stage = RegistrationKind.Stage.common
    private var text = ""
    private var isNil = false
    private var header: (name: String?, value: String?)

    /// Elements within elements. A registration has six.
    static let depthLimit = 16

    /// - Throws: `EmulatorError` when it is no XML in UTF-8, or no Atom entry with one description, its parts in their
    ///   order.
    static func read(_ bytes: [UInt8]) throws(EmulatorError) -> RegistrationReader {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw EmulatorError("The registration is not in UTF-8.")
        }
        // The parser would believe another encoding, in which a DOCTYPE looks different.
        if let declaration = text.firstMatch(of: /^\s*<\?xml[^>]*encoding\s*=\s*["']([^"']*)["']/),
            declaration.output.1.lowercased() != "utf-8"
        {
            throw EmulatorError("The registration is not in UTF-8.")
        }
        guard !text.contains("<!DOCTYPE") else { throw EmulatorError("A registration has no DOCTYPE.") }
        guard !bytes.hasProcessingInstruction else {
            throw EmulatorError("A registration has no processing instructions.")
        }
        let parser = XMLParser(data: Data(bytes))
        parser.shouldProcessNamespaces = true
        parser.shouldResolveExternalEntities = false
        let reader = RegistrationReader()
        parser.delegate = reader
        // On Linux it says true of nearly everything.
        let isWhole = parser.parse() && !reader.isBroken && reader.path.isEmpty
        if let failure = reader.failure { throw failure }
        guard isWhole else { throw EmulatorError("The registration is no XML.") }
        guard reader.kind != nil else {
            throw EmulatorError("The registration is no Atom entry with a RegistrationDescription in its content.")
        }
        return reader
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        path.append(name)
        text = ""
        isNil = attributes.contains { $0.key.hasSuffix("nil") && $0.value == "true" }
        do throws(EmulatorError) {
            try start(name)
        } catch {
            failure = failure ?? error
            parser.abortParsing()
        }
    }

    private func start(_ name: String) throws(EmulatorError) {
        guard path.count <= Self.depthLimit else { throw EmulatorError("The registration is nested too deep.") }
        guard path.prefix(2) == ["entry", "content"] else { return }
        if path.count == 3 {
            guard kind == nil else { throw EmulatorError("The registration has two descriptions.") }
            guard let kind = RegistrationKind(element: name) else {
                throw EmulatorError("There is no kind of registration named \(name.prefix(100)).")
            }
            self.kind = kind
        } else if path.count == 4, let kind {
            guard let stage = kind.stage(of: name) else {
                throw EmulatorError("\(name.prefix(100)) is no element of a \(kind.element).")
            }
            guard seen.insert(name).inserted else { throw EmulatorError("\(name) stands twice in the registration.") }
            guard stage >= self.stage else {
                throw EmulatorError("\(name) stands too late: the order of a registration's elements matters.")
            }
            self.stage = stage
        } else if path.count == 5 {
            header = (nil, nil)
        }
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) { isBroken = true }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, foundCDATA block: Data) { text += String(decoding: block, as: UTF8.self) }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
        if kind != nil, path.prefix(2) == ["entry", "content"] {
            let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
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
        text = ""
        isNil = false
    }
}
