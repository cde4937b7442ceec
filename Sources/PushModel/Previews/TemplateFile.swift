/// Templates in a file that a person has: installations, one or many, as a hub or `fanfare installation export` writes them;
/// one template with its headers; or the body of one alone.
public enum TemplateFile {
    /// Why it holds no template.
    public struct Fault: Error, Equatable, CustomStringConvertible {
        /// Counted from 1; nil: the file as a whole.
        public let line: Int?
        /// The member at fault: `templates.news.body`.
        public let member: String?
        public let rule: String

        public var description: String {
            [line.map { "line \($0)" }, member].compactMap(\.self).map { $0 + ": " }.joined() + rule
        }
    }

    /// - Parameters:
    ///   - bytes: UTF-8. One JSON value, or one in each line.
    ///   - name: of a template that the file does not name.
    ///   - platform: of a template that the file says no platform of; nil: the one whose payloads look like it.
    public static func templates(
        _ bytes: [UInt8], name: String, platform: DevicePlatform? = nil
    ) throws(Fault) -> [PreviewTemplate] {
        let first = bytes.first { !isSpace($0) }
        if first == UInt8(ascii: "<") {
            guard let text = String(validating: bytes, as: UTF8.self) else { throw fault("it is not UTF-8") }
            let isPhone = XMLScanner.rootName(of: bytes).map { $0.hasSuffix("Notification") } ?? false
            return [PreviewTemplate(platform ?? (isPhone ? .mpns : .wns), name, text)]
        }
        guard first != nil else { throw fault("it is empty") }
        var found: [PreviewTemplate] = []
        var scanner = JSONScanner(bytes)
        var line = 1
        var counted = 0
        while scanner.next() != nil {
            line += bytes[counted..<scanner.at].count { $0 == UInt8(ascii: "\n") }
            counted = scanner.at
            let node: JSONNode
            do throws(JSONError) {
                node = try scanner.node()
            } catch {
                let place = LocatedJSON.Place(of: error, in: bytes)
                throw Fault(
                    line: place.line, member: error.path.isEmpty ? nil : String(error.path.prefix(200)),
                    rule: error.rule)
            }
            do throws(Fault) {
                found += try templates(in: node, bytes, name, platform)
            } catch {
                throw Fault(line: line, member: error.member, rule: error.rule)
            }
        }
        return found
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func fault(_ rule: String, _ member: String? = nil) -> Fault {
        Fault(line: nil, member: member, rule: rule)
    }

    private static func templates(
        in node: JSONNode, _ bytes: [UInt8], _ name: String, _ platform: DevicePlatform?
    ) throws(Fault) -> [PreviewTemplate] {
        if case .array(let elements) = node.value {
            var found: [PreviewTemplate] = []
            for element in elements { found += try templates(in: element, bytes, name, platform) }
            return found
        }
        guard node.value.isObject else { throw fault("it is \(node.value.kind), and no installation and no template") }
        if node.value["installationId"] != nil || node.value["templates"]?.isObject == true {
            return try installation(node.value, platform)
        }
        // A payload for browsers may have a member body, too: its text is no document.
        if let body = node.value["body"]?.string, isDocument(body) {
            return [try template(node.value, name, try self.platform(of: body, platform), "")]
        }
        let body = String(decoding: bytes[node.range], as: UTF8.self)
        return [PreviewTemplate(try self.platform(of: body, platform), name, body)]
    }

    private static func isDocument(_ text: String) -> Bool {
        if text.first(where: { !$0.isWhitespace }) == "<" { return true }
        return (try? JSONNode(Array(text.utf8)))?.value.isObject ?? false
    }

    private static func installation(
        _ value: JSONValue, _ platform: DevicePlatform?
    ) throws(Fault) -> [PreviewTemplate] {
        guard let named = value["platform"]?.string.flatMap({ DevicePlatform(named: $0) }) ?? platform else {
            throw fault(
                "it must be one of \(DevicePlatform.allCases.map(\.rawValue).joined(separator: ", "))", "platform")
        }
        guard let templates = value["templates"], templates != .null else { return [] }
        guard case .object(let members) = templates else {
            throw fault("it is \(templates.kind), not an object", "templates")
        }
        let tags = try texts(value["tags"], "tags")
        let device = value["installationId"]?.string
        var found: [PreviewTemplate] = []
        for member in members {
            var template = try template(
                member.node.value, member.name, named, "templates.\(member.name.prefix(120)).")
            template.tags += tags
            template.variables = try pairs(value["pushVariables"], "pushVariables")
            template.device = device
            found.append(template)
        }
        return found
    }

    private static func template(
        _ value: JSONValue, _ name: String, _ platform: DevicePlatform, _ path: String
    ) throws(Fault) -> PreviewTemplate {
        guard value.isObject else { throw fault("it is \(value.kind), not an object", String(path.dropLast())) }
        guard let body = value["body"]?.string else { throw fault("it must be a string", path + "body") }
        var expiry: String?
        if let given = value["expiry"], given != .null {
            guard let text = given.string else { throw fault("it is \(given.kind), not a string", path + "expiry") }
            expiry = text
        }
        // A template without tags has its name as its tag.
        let tags = value["tags"].map { $0 != .null } == true ? try texts(value["tags"], path + "tags") : [name]
        return PreviewTemplate(
            platform, name, body, headers: try pairs(value["headers"], path + "headers"), expiry: expiry, tags: tags)
    }

    private static func texts(_ value: JSONValue?, _ member: String) throws(Fault) -> [String] {
        guard let value, value != .null else { return [] }
        guard case .array(let elements) = value else { throw fault("it is \(value.kind), not an array", member) }
        var texts: [String] = []
        for element in elements {
            guard let text = element.value.string else {
                throw fault("it holds \(element.value.kind); only strings are allowed", member)
            }
            texts.append(text)
        }
        return texts
    }

    private static func pairs(_ value: JSONValue?, _ member: String) throws(Fault) -> [String: String] {
        guard let value, value != .null else { return [:] }
        guard case .object(let members) = value else { throw fault("it is \(value.kind), not an object", member) }
        var pairs: [String: String] = [:]
        for element in members {
            guard let text = element.node.value.string else {
                throw fault(
                    "it is \(element.node.value.kind), not a string", "\(member).\(element.name.prefix(120))")
            }
            pairs[element.name] = text
        }
        return pairs
    }

    /// By the first member of a payload, which each platform names in its own way.
    private static func platform(of body: String, _ given: DevicePlatform?) throws(Fault) -> DevicePlatform {
        if let given { return given }
        if body.first(where: { !$0.isWhitespace }) == "<" {
            let isPhone = XMLScanner.rootName(of: Array(body.utf8)).map { $0.hasSuffix("Notification") } ?? false
            return isPhone ? .mpns : .wns
        }
        let value = (try? JSONNode(Array(body.utf8)))?.value
        if value?["aps"] != nil { return .apns }
        if value?["message"]?.isObject == true { return .fcmV1 }
        if value?["notification"] != nil { return .gcm }
        throw fault("nothing in it says which platform it is for; name one")
    }
}
