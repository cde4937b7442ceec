import ArgumentParser

extension ParsableArguments {
    /// - Parameter value: of `option`; nil: it was not given.
    /// - Throws: `ValidationError` when it is outside of the range.
    package func require<Value: Comparable>(
        _ option: String, _ value: Value?, in range: ClosedRange<Value>
    ) throws {
        guard let value, !range.contains(value) else { return }
        throw ValidationError("\(option) is from \(range.lowerBound) to \(range.upperBound), not \(value).")
    }
}
