/// The post that both sides send, of realistic size: 8 headers, a token of 240 bytes, tags that differ, a body of 265
/// bytes.
public enum Sample {
    public static let headers = [
        ("Authorization", token), ("Content-Type", "application/json;charset=utf-8"),
        ("ServiceBusNotification-Format", "template"), ("x-ms-version", "2015-01"),
    ]

    public static let body =
        "{\"title\":\"" + String(repeating: "Breaking news ", count: 6) + "\",\"body\":\""
        + String(repeating: "World news in English. ", count: 7) + "\",\"badge\":1}"

    /// The header that differs from post to post.
    public static func tags(of id: Int) -> (String, String) {
        ("ServiceBusNotification-Tags", "(news_World && locale_en) || user_\(id)")
    }

    private static let token =
        "SharedAccessSignature sr=" + String(repeating: "a", count: 90) + "&sig=" + String(repeating: "b", count: 60)
        + "&se=1800000000&skn=DefaultFullSharedAccessSignature"
}
