/// The templates in what registers a device.
extension PlatformTemplate {
    /// One that stands alone.
    ///
    /// - Parameters:
    ///   - platform: in any case.
    ///   - body: JSON, or XML for Windows.
    /// - Throws: `InvalidTemplate` for an unknown platform, a name that has not 1 to 200 characters, or a body that the platform
    ///   does not take.
    public init(checking body: String, platform: String, name: String) throws(InvalidTemplate) {
        try Self.check(name: name, "name")
        let platform = try Self.known(platform)
        self.init(
            platform: platform, name: name, body: try TemplateBody.normal(body, platform: platform, member: nil))
    }

    /// Those of one installation, in the JSON of the service: what `fanfare installation export` prints on a line. Those of
    /// secondary tiles, too. Members that say something else are not looked at.
    ///
    /// - Parameter line: UTF-8.
    /// - Throws: `InvalidTemplate` with the first member that breaks a rule.
    public static func templates(ofInstallation line: [UInt8]) throws(InvalidTemplate) -> [PlatformTemplate] {
        guard case .object(let members) = try json(line).value else {
            throw InvalidTemplate(nil, "it is not a JSON object")
        }
        guard case .string(let text)? = members.last(named: "platform") else {
            throw InvalidTemplate("platform", "it is missing or not a text")
        }
        let platform = try known(text)
        var templates = try list(members.last(named: "templates"), platform: platform, member: "templates")
        for tile in try object(members.last(named: "secondaryTiles"), "secondaryTiles") {
            let path = "secondaryTiles.\(tile.name)"
            let inner = try object(tile.node.value, path)
            templates += try list(inner.last(named: "templates"), platform: platform, member: "\(path).templates")
        }
        return templates
    }

    /// One of a device, of its name and the JSON text of an object.
    ///
    /// - Parameter platform: in the spelling of the service.
    /// - Throws: `InvalidTemplate` with the first member that breaks a rule.
    init(platform: String, name: String, json text: String) throws(InvalidTemplate) {
        self = try Self.template(try Self.json(Array(text.utf8)).value, platform: platform, name: name, member: name)
    }

    private static func json(_ bytes: [UInt8]) throws(InvalidTemplate) -> JSONNode {
        do throws(JSONError) {
            return try JSONNode(bytes)
        } catch {
            throw InvalidTemplate(
                error.path.isEmpty ? nil : error.path, "it is not JSON: character \(error.position): \(error.rule)")
        }
    }

    private static func known(_ platform: String) throws(InvalidTemplate) -> String {
        guard let known = Self.platform(named: platform) else {
            throw InvalidTemplate("platform", "it is not one of \(platforms.joined(separator: ", "))")
        }
        return known
    }

    private static func check(name: String, _ member: String) throws(InvalidTemplate) {
        guard (1...200).contains(name.unicodeScalars.count) else {
            throw InvalidTemplate(member, "a template's name has 1 to 200 characters")
        }
        guard !name.utf8.contains(0) else { throw InvalidTemplate(member, "it has the character NUL") }
    }

    private static func list(
        _ value: JSONValue?, platform: String, member: String
    ) throws(InvalidTemplate) -> [PlatformTemplate] {
        var templates: [PlatformTemplate] = []
        for entry in try object(value, member) {
            try check(name: entry.name, member)
            templates.append(
                try template(
                    entry.node.value, platform: platform, name: entry.name, member: "\(member).\(entry.name)"))
        }
        return templates
    }

    private static func template(
        _ value: JSONValue, platform: String, name: String, member: String
    ) throws(InvalidTemplate) -> PlatformTemplate {
        guard case .object(let members) = value else { throw InvalidTemplate(member, "it is not an object") }
        guard case .string(let body)? = members.last(named: "body"), !body.isEmpty else {
            throw InvalidTemplate("\(member).body", "it is missing or not a text")
        }
        var headers: [String: String] = [:]
        for header in try object(members.last(named: "headers"), "\(member).headers") {
            headers[header.name] = try text(header.node.value, "\(member).headers.\(header.name)")
            guard !header.name.utf8.contains(0) else {
                throw InvalidTemplate("\(member).headers", "a name has the character NUL")
            }
        }
        var expiry: String?
        switch members.last(named: "expiry") {
        case nil, .null: break
        case let value?: expiry = try text(value, "\(member).expiry")
        }
        return PlatformTemplate(
            platform: platform, name: name,
            body: try TemplateBody.normal(body, platform: platform, member: "\(member).body"), headers: headers,
            expiry: expiry)
    }

    private static func text(_ value: JSONValue, _ member: String) throws(InvalidTemplate) -> String {
        guard case .string(let text) = value else { throw InvalidTemplate(member, "it is not a text") }
        guard !text.utf8.contains(0) else { throw InvalidTemplate(member, "it has the character NUL") }
        return text
    }

    /// The members of an object; none where it is null or not there.
    private static func object(_ value: JSONValue?, _ member: String) throws(InvalidTemplate) -> [JSONValue.Member] {
        switch value {
        case .object(let members)?: return members
        case nil, .null: return []
        default: throw InvalidTemplate(member, "it is not an object")
        }
    }
}

extension [JSONValue.Member] {
    /// Of a name that stands there more than once the last counts, as in PostgreSQL.
    fileprivate func last(named name: String) -> JSONValue? { last { $0.name == name }?.node.value }
}
