/// The push to an iPhone that the sides with HTTP/2 send, as `c/apple_post.h` has it: a token of 220 bytes, a body of 264 bytes;
/// path, id and expiration differ from one to the next.
public enum ApplePost {
    public static let headers = [
        ("authorization", "bearer " + String(repeating: "a", count: 213)), ("apns-topic", "com.example.shop"),
        ("apns-push-type", "alert"), ("content-type", "application/json"),
    ]

    public static let body =
        "{\"aps\":{\"alert\":{\"title\":\"" + String(repeating: "Breaking news ", count: 3) + "\",\"body\":\""
        + String(repeating: "World news in English. ", count: 5)
        + "\"},\"category\":\"NEWS_CATEGORY\"},\"id\":\"01234567890123456789012345678901\"}"

    /// Paths of the phones that take turns.
    public static let paths = (0..<64).map { "/3/device/" + hexadecimal($0, digits: 64) }

    /// The headers that differ from post to post.
    public static func headers(of id: Int) -> [(String, String)] {
        [
            ("apns-id", hexadecimal(id, digits: 8) + "-0000-8000-8000-000000000000"),
            ("apns-expiration", String(1_700_000_000 + id % 7)),
        ]
    }

    private static func hexadecimal(_ number: Int, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
