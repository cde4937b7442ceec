extension String {
    /// With a blank for every control character: values of other people can hold line ends and terminal commands.
    var onOneLine: String {
        var clean = UnicodeScalarView()
        for scalar in unicodeScalars { clean.append(scalar.properties.generalCategory == .control ? " " : scalar) }
        return String(clean)
    }
}
