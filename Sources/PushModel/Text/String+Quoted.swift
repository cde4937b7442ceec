extension StringProtocol {
    /// For messages to people: in quotation marks, at most 40 characters; what a terminal would obey as `U+000A`.
    var shown: String {
        var text = "\""
        for scalar in prefix(40).unicodeScalars.prefix(120) {
            if scalar.isObeyed {
                let hex = String(scalar.value, radix: 16, uppercase: true)
                text += "U+" + String(repeating: "0", count: 4 - hex.count) + hex
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text + (dropFirst(40).isEmpty ? "\"" : "...\"")
    }
}
