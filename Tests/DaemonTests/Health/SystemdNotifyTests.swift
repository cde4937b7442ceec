import Foundation
import Testing

@testable import Daemon

@Suite struct SystemdNotifyTests {
    @Test(arguments: [false, true])
    func statesArriveAtSystemd(isAbstract: Bool) throws {
        let systemd = try SystemdSocket(isAbstract: isAbstract)
        let notify = SystemdNotify(socket: systemd.socket)
        try notify.send(.ready, .status("sending 1240/s\nREADY=0"))
        #expect(systemd.received() == "READY=1\nSTATUS=sending 1240/s READY=0")
        try notify.send(.watchdog)
        #expect(systemd.received() == "WATCHDOG=1")
        try notify.send(.stopping, .extendTimeout(seconds: 90))
        #expect(systemd.received() == "STOPPING=1\nEXTEND_TIMEOUT_USEC=90000000")
        try notify.send(.reloading(monotonicMicroseconds: 123))
        #expect(systemd.received() == "RELOADING=1\nMONOTONIC_USEC=123")
    }

    @Test func aSocketWithoutListenerIsAnError() {
        #expect(throws: SystemdNotifyError(code: ENOENT)) {
            try SystemdNotify(socket: "/nonexistent/notify").send(.ready)
        }
        #expect(throws: SystemdNotifyError(code: ENAMETOOLONG)) {
            try SystemdNotify(socket: "/" + String(repeating: "x", count: 200)).send(.ready)
        }
    }

    /// In its own process: changing the environment is not safe while other threads read it.
    @Test func theVariablesAreTakenOnceAndNotInherited() async {
        await #expect(processExitsWith: .success) {
            setenv("NOTIFY_SOCKET", "@fanfare", 1)
            setenv("WATCHDOG_USEC", "30000000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            #expect(SystemdNotify.takeFromEnvironment() == SystemdNotify(socket: "@fanfare", watchdogInterval: 15))
            #expect(getenv("NOTIFY_SOCKET") == nil && getenv("WATCHDOG_USEC") == nil && getenv("WATCHDOG_PID") == nil)
            #expect(SystemdNotify.takeFromEnvironment() == nil)
        }
    }

    @Test func aWatchdogOfAnotherProcessIsNotOurs() async {
        await #expect(processExitsWith: .success) {
            setenv("NOTIFY_SOCKET", "/run/x", 1)
            setenv("WATCHDOG_USEC", "30000000", 1)
            setenv("WATCHDOG_PID", "1", 1)
            #expect(SystemdNotify.takeFromEnvironment() == SystemdNotify(socket: "/run/x"))
        }
    }
}

/// A datagram socket that stands for systemd.
private final class SystemdSocket {
    let socket: String
    private let handle: Int32

    init(isAbstract: Bool) throws {
        let name = "\(isAbstract ? "@" : NSTemporaryDirectory() + "/")fanfare-\(UUID().uuidString.prefix(8))"
        socket = name
        handle = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        try #require(handle >= 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if isAbstract { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let bound = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(handle, $0, length) }
        }
        try #require(bound == 0)
    }

    deinit {
        close(handle)
        if !socket.hasPrefix("@") { unlink(socket) }
    }

    /// The datagram that has arrived; nil: none has.
    func received() -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(handle, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }
}
