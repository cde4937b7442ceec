/// The rule by which the hub refused a send, and what to do about it. Read from status and detail, which are all that a
/// client sees too.
struct RefusalRule: Sendable, Equatable, Encodable {
    /// `signature`, `tag expression` ...
    let name: String
    let advice: String

    /// nil: the detail says everything.
    init?(status: Int?, detail: String) {
        let detail = detail.lowercased()
        let known = Self.rules.first { rule in
            (rule.status == nil || rule.status == status)
                && (rule.words.isEmpty || rule.words.contains(where: detail.contains))
        }
        guard let known else { return nil }
        self = RefusalRule(name: known.name, advice: known.advice)
    }

    private init(name: String, advice: String) {
        self.name = name
        self.advice = advice
    }

    private struct Known {
        let name: String
        /// nil: any.
        let status: Int?
        /// In lower case; one of them is in the detail. Empty: any detail.
        let words: [String]
        let advice: String
    }

    private static let rules = [
        Known(
            name: "access token", status: 401, words: ["access token"],
            advice:
                "Sign an assertion with the service account, post it to /token, and send Authorization: Bearer TOKEN."),
        Known(
            name: "project", status: nil, words: ["sender of the project", "another project's"],
            advice: "The project in the path has to be that of the service account: project_id of its file."),
        Known(
            name: "gone token", status: 404, words: ["unregistered"],
            advice: "The phone was removed or has another token: forget this one. device add brings it back."),
        Known(
            name: "target", status: 400, words: ["recipient of the message", "oneof", "registration token"],
            advice: "A message has exactly one of token, fid, topic and condition; a token has no blanks."),
        Known(
            name: "topic", status: 400, words: ["invalid topic", "invalid condition"],
            advice: "'NAME' in topics, joined by && || ! and parentheses; at most 5 topics. Try it under Tags."),
        Known(
            name: "token", status: 401, words: ["missingtoken", "malformedtoken"],
            advice: "Every send carries Authorization: SharedAccessSignature sr=…&sig=…&se=…&skn=…"),
        Known(
            name: "signature", status: 401, words: ["invalidsignature"],
            advice: "Sign sr, a line feed and se with the key of the policy that skn names; send sr exactly as signed."),
        Known(
            name: "expiry", status: 401, words: ["expiredtoken"],
            advice: "se is in the past. Sign a new token, and compare the clocks of sender and hub."),
        Known(
            name: "scope", status: 401, words: ["invalidaudience"],
            advice: "sr has to be the address of the hub or of its namespace, as the client connects to it."),
        Known(
            name: "right", status: nil, words: ["claim is required", "lacks the right"],
            advice: "The policy that skn names has no right to send. Use one with Send, or add it with --policy."),
        Known(
            name: "tier", status: 403, words: ["in the tier"],
            advice: "Hubs of this tier cannot do that, and waiting does not help: start with --tier standard."),
        Known(
            name: "hub name", status: 404, words: ["no service is hosted"],
            advice: "The path begins with the name of a hub that runs here: compare it with the list at the top."),
        Known(
            name: "size", status: 413, words: [],
            advice: "A notification has at most 65,536 bytes: leave languages or texts out."),
        Known(
            name: "format", status: 400, words: ["servicebusnotification-format"],
            advice: "ServiceBusNotification-Format names the kind of the body, such as template or apple."),
        Known(
            name: "tag expression", status: 400, words: ["invalid tag", "tag expression"],
            advice: "Tags have letters, digits and _ @ # . : - and are joined by && || ! ( ). Try it under Tags."),
        Known(
            name: "schedule", status: nil, words: ["schedule"],
            advice: "ServiceBusNotification-ScheduleTime is in UTC, such as 2027-01-15T09:00:00, at most 7 days ahead."),
        Known(
            name: "direct send", status: 400, words: ["direct send", "batch send", "devicehandle"],
            advice: "A direct send has direct in the query and the handle in ServiceBusNotification-DeviceHandle."),
        Known(
            name: "body", status: 400, words: ["payload is invalid", "utf-8"],
            advice: "A template send is one JSON object whose values are all strings; apple, fcmv1 and others are JSON."
        ),
        Known(
            name: "content type", status: 400, words: ["content-type"],
            advice: "Send Content-Type: application/json;charset=utf-8, or application/xml for Windows."),
        Known(
            name: "version", status: 400, words: ["api-version"], advice: "Add ?api-version=2020-06 to the address."),
    ]
}
