/// The headers a row may add to its request: only those that the platform of its format understands.
///
/// The provider sets tags, format and authorization. A row that could set `ServiceBusNotification-Tags` could reach
/// every device.
enum ProviderHeaders {
    /// - Parameters:
    ///   - json: the column `headers`; nil: none.
    ///   - isDirect: whether the message is for handles.
    static func read(_ json: String?, format: String, isDirect: Bool) throws(Unsendable) -> [Post.Header] {
        guard let json else { return [] }
        guard let rules = PayloadRules.all.formats[format] else {
            throw Unsendable("format", format, "no headers are known for it")
        }
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONNode(Array(json.utf8)).value
        } catch {
            throw Unsendable("headers", nil, "character \(error.position): \(error.rule)")
        }
        let context = PayloadContext(format: rules, isDirect: isDirect, documentBytes: json.utf8.count)
        if let fault = PayloadFault(in: document, rules: "header", context) { throw fault.refusal(of: "headers") }
        guard case .object(let members) = document else { return [] }
        return members.compactMap { member in
            guard case .string(let value) = member.node.value else { return nil }
            return Post.Header(name: member.name, value: value)
        }
    }
}
