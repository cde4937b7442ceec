/// What a put makes of a device, whatever kind its hub is: the arguments of `push.put_device`.
public struct DeviceRegistration: Sendable, Equatable {
    public let platform: String
    /// What the push service gave to the app; for a browser the JSON text of an object.
    public let handle: String
    public let userID: String?
    public let tags: [String]
    /// By name, each the JSON text of an object.
    public let templates: [Template]

    public struct Template: Sendable, Equatable {
        public let name: String
        public let json: String
    }

    /// - Throws: `InvalidDeviceDocument` naming the argument that cannot be read.
    public init(json: String) throws(InvalidDeviceDocument) {
        let document = try DeviceDocument(json: json)
        guard let platform = try document.text("platform") else { throw InvalidDeviceDocument("platform is missing") }
        guard let handle = try document.text("handle") else { throw InvalidDeviceDocument("handle is missing") }
        self.platform = platform
        self.handle = handle
        userID = try document.text("user_id")
        tags = try document.texts("tags")
        var templates: [Template] = []
        for (name, json) in try document.templates() {
            guard let json else { throw InvalidDeviceDocument("a template is null") }
            templates.append(Template(name: name, json: json))
        }
        self.templates = templates
    }

    /// The installation in the JSON of Notification Hubs, UTF-8 (docs/wire/notification-hubs.md, "Installations").
    ///
    /// - Parameter id: the device.
    public func installation(id: String) -> [UInt8] {
        var bytes: [UInt8] = []
        func add(_ name: String, _ text: String) {
            bytes += bytes.isEmpty ? "{".utf8 : ",".utf8
            Self.append(name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            Self.append(text, to: &bytes)
        }
        add("installationId", id)
        add("platform", platform)
        // That of a browser too: the SDKs for .NET and Java write the object as its JSON text.
        add("pushChannel", handle)
        if let userID { add("userId", userID) }
        bytes += #","tags":["#.utf8
        for (index, tag) in tags.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            Self.append(tag, to: &bytes)
        }
        bytes += "]".utf8
        if !templates.isEmpty {
            bytes += #","templates":{"#.utf8
            for (index, template) in templates.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.append(template.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                bytes += template.json.utf8
            }
            bytes += "}".utf8
        }
        bytes += "}".utf8
        return bytes
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        JSONText.append(text, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }
}
