/// A template made from the names of properties, for where nobody knows what devices have: it shows what most apps would.
struct ExampleTemplate {
    /// What previews call it.
    static let name = "example"

    /// nil: no title.
    let title: String?
    /// nil: no text.
    let text: String?

    /// - Parameter properties: those that a phone could show, in order, with their values.
    init(_ properties: [(name: String, value: String)]) {
        let usable = properties.filter { property in
            (1...TemplateExpression.nameLimit).contains(property.name.utf8.count)
                && property.name.utf8.allSatisfy(Self.isPartOfName)
        }
        let titled = usable.first { property in
            Self.titleWords.contains { property.name.lowercased().contains($0) }
        }
        let others = usable.filter { $0.name != titled?.name }
        // Where a tap leads is no text, and often longer than the text.
        let texts = others.filter { !$0.value.lowercased().hasPrefix("http") }
        let longest = (texts.isEmpty && titled == nil ? others : texts).reversed().max {
            $0.value.utf8.count < $1.value.utf8.count
        }
        title = longest == nil ? nil : titled?.name
        text = longest?.name ?? titled?.name
    }

    private static let titleWords = ["title", "headline", "heading", "subject"]

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
            || byte &- UInt8(ascii: "0") < 10
    }

    func template(on platform: DevicePlatform) -> PreviewTemplate {
        PreviewTemplate(
            platform, Self.name, body(on: platform), headers: platform == .wns ? ["X-WNS-Type": "wns/toast"] : [:])
    }

    private func body(on platform: DevicePlatform) -> String {
        let text = self.text.map { "$(\($0))" } ?? ""
        let title = self.title.map { "$(\($0))" }
        func object(_ name: String) -> String {
            (title.map { #"{"title":"\#($0)","# } ?? "{") + #""\#(name)":"\#(text)"}"#
        }
        switch platform {
        case .apns: return #"{"aps":{"alert":\#(title == nil ? "\"\(text)\"" : object("body"))}}"#
        case .fcmV1: return #"{"message":{"notification":\#(object("body"))}}"#
        case .gcm: return #"{"notification":\#(object("body"))}"#
        case .adm: return #"{"data":\#(object("message"))}"#
        case .baidu, .xiaomi: return object("description")
        case .browser: return object("body")
        case .wns:
            let lines = [title, text].compactMap(\.self).map { "<text>\($0)</text>" }.joined()
            return #"<toast><visual><binding template="ToastGeneric">\#(lines)</binding></visual></toast>"#
        case .mpns:
            let first = title.map { "<wp:Text1>\($0)</wp:Text1><wp:Text2>\(text)</wp:Text2>" }
            return #"<wp:Notification xmlns:wp="WPNotification"><wp:Toast>"#
                + (first ?? "<wp:Text1>\(text)</wp:Text1>") + "</wp:Toast></wp:Notification>"
        }
    }
}
