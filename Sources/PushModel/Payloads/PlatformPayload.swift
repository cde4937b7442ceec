/// Judges a finished payload as the platform's own service would.
public enum PlatformPayload {
    /// What is wrong with its shape, naming the path; nil when no fault is known.
    ///
    /// The hub accepts and forwards such a payload; the platform then refuses it or shows nothing.
    ///
    /// - Parameters:
    ///   - format: as in `ServiceBusNotification-Format`, in lower case.
    ///   - headers: the platform's own, by name.
    public static func fault(in payload: String, format: String, headers: [String: String] = [:]) -> String? {
        func header(_ name: String) -> String? { headers.first { $0.key.lowercased() == name }?.value.lowercased() }
        switch format {
        case "windows":
            return fault(in: .string(payload), format, headers)
        case "windowsphone":
            // A raw push is any bytes.
            return header("x-notificationclass") == "3" ? nil : faultOfPhone(payload)
        case "baidu", "browser", "xiaomi": return nil  // any payload of the app's
        default: return faultOfJSON(payload, format, headers)
        }
    }

    private static func faultOfJSON(
        _ payload: String, _ format: String, _ headers: [String: String]
    ) -> String? {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONNode(Array(payload.utf8)).value
        } catch {
            return "it is not JSON: character \(error.position): \(error.rule)"
        }
        guard case .object = value else { return "it is \(value.kind), not an object" }
        if format == "gcm" { return faultOfGCM(value) }
        return fault(in: value, format, headers)
    }

    /// By the rules of the INSERT, those that only warn there included.
    private static func fault(in payload: JSONValue, _ format: String, _ headers: [String: String]) -> String? {
        guard let rules = PayloadRules.all.formats[format] else { return nil }
        var context = PayloadContext(format: rules)
        for (name, value) in headers { context.headers[name.lowercased()] = value }
        let fault =
            PayloadFault(in: payload, rules: format, context)
            ?? PayloadFault(in: payload, rules: format, context, warns: true)
        return fault.map { ($0.path.isEmpty ? "it " : "") + $0.text }
    }

    private static func faultOfGCM(_ root: JSONValue) -> String? {
        if root["data"] != nil || root["notification"] != nil { return nil }
        return root["message"] == nil
            ? "it has neither data nor notification"
            : "it has message, as in the format fcmv1, and neither data nor notification"
    }

    private static func faultOfPhone(_ payload: String) -> String? {
        guard let outline = XMLOutline(payload) else { return "it is not an XML document" }
        let name = outline.root.split(separator: ":").last ?? ""
        return name == "Notification" ? nil : "its root element is \(outline.root.quoted), not wp:Notification"
    }
}
