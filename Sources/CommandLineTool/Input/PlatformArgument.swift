import ArgumentParser
import PushModel

extension DevicePlatform: ExpressibleByArgument {
    /// In any case.
    public init?(argument: String) { self.init(named: argument) }
}
