import Glibc
import NIOCore

/// Why the system refuses an address to listen on, in words for people: without names of system calls.
public struct ListenFault: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    init(_ error: any Error) {
        description =
            switch error {
            case let error as IOError: String(cString: strerror(error.errnoCode)).lowercasedFirst
            case is SocketAddressError: "the name has no address on this machine"
            default: "\(error)"
            }
    }
}

extension String {
    /// `Address already in use` inside a sentence.
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
