/// The id of an app at Apple, such as `com.example.shop`, which is the topic of its pushes.
public enum BundleID {
    /// Whether a text can be one: 1 to 255 letters, digits, hyphens and dots, and of an MDM certificate also underscores.
    public static func isBundleID(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || "-._".unicodeScalars.contains($0))
            }
    }
}
