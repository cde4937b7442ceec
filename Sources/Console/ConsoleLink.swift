/// An address that is no page of the console.
public struct ConsoleLink: Sendable, Hashable {
    /// What is there: `Health`.
    public var name: String
    /// Such as `http://127.0.0.1:9464/readyz`.
    public var address: String

    public init(name: String, address: String) {
        self.name = name
        self.address = address
    }
}
