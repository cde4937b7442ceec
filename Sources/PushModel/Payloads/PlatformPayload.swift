/// A finished payload, looked at as the platform's own service would.
public enum PlatformPayload {
    /// What is wrong with its shape, naming the path; nil: nothing that is known.
    ///
    /// The hub takes such a payload and hands it on; it is the platform that refuses it or shows nothing.
    ///
    /// - Parameters:
    ///   - format: as in `ServiceBusNotification-Format`, in lower case.
    ///   - headers: those for the platform, by name.
    public static func fault(in payload: String, format: String, headers: [String: String] = [:]) -> String? {
        func header(_ name: String) -> String? { headers.first { $0.key.lowercased() == name }?.value.lowercased() }
        switch format {
        case "windows":
            let type = header("x-wns-type")
            return type == "wns/raw" ? nil : faultOfWindows(payload, type: type)
        case "windowsphone":
            // A raw push is bytes for the app.
            return header("x-notificationclass") == "3" ? nil : faultOfPhone(payload)
        case "baidu", "browser", "xiaomi": return nil  // the app's own
        default: return faultOfJSON(payload, format)
        }
    }

    private static func faultOfJSON(_ payload: String, _ format: String) -> String? {
        var scanner = JSONScanner(Array(payload.utf8))
        let value: JSONValue
        do throws(JSONError) {
            value = try scanner.tree()
        } catch {
            return "it is no JSON: character \(error.position): \(error.rule)"
        }
        guard case .object = value else { return "it is \(value.kind), not an object" }
        let root = PayloadNode(path: "", value: value)
        do throws(Unsendable) {
            switch format {
            case "apple": try ApplePayload.check(root)
            case "fcmv1": try FCMPayload.check(root)
            case "adm": try NativePayload.checkADM(root)
            case "gcm": return faultOfGCM(root)
            default: break
            }
        } catch {
            let column = "content: "
            return error.text.hasPrefix(column) ? String(error.text.dropFirst(column.count)) : error.text
        }
        return nil
    }

    private static func faultOfGCM(_ root: PayloadNode) -> String? {
        if root["data"] != nil || root["notification"] != nil { return nil }
        return root["message"] == nil
            ? "it has neither data nor notification"
            : "it has message, as in the format fcmv1, and neither data nor notification"
    }

    private static func faultOfWindows(_ payload: String, type: String?) -> String? {
        guard let outline = XMLOutline(payload) else { return "it is no XML document" }
        let roots = ["wns/toast": "toast", "wns/tile": "tile", "wns/badge": "badge"]
        if let root = type.flatMap({ roots[$0] }), root != outline.root {
            return "its root element is \(outline.root.shown), and X-WNS-Type says \(root)"
        }
        if !roots.values.contains(outline.root) {
            return "its root element is \(outline.root.shown), none of toast, tile and badge"
        }
        return nil
    }

    private static func faultOfPhone(_ payload: String) -> String? {
        guard let outline = XMLOutline(payload) else { return "it is no XML document" }
        let name = outline.root.split(separator: ":").last ?? ""
        return name == "Notification" ? nil : "its root element is \(outline.root.shown), not wp:Notification"
    }
}
