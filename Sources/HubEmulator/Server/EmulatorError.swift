/// Why the emulator cannot do what it was asked for, in one line.
public struct EmulatorError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }

    /// The hub has as many devices as its tier allows.
    static let tooManyDevices = EmulatorError("The hub has as many devices as its tier allows.")
}
