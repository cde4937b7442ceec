import Testing

/// An argument of a parameterised test with a short name for the test's output.
struct Named<Value: Sendable>: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let value: Value

    init(_ name: String, _ value: Value) {
        testDescription = name
        self.value = value
    }
}
