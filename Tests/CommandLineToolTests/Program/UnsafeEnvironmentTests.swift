import Glibc
import Testing

@testable import CommandLineTool

@Suite struct UnsafeEnvironmentTests {
    @Test func whatIsRemovedIsSaidOnce() {
        for name in UnsafeEnvironment.names { setenv(name, "/nowhere", 1) }
        setenv("SSL_CERT_DIR", "/etc/ssl/certs", 1)
        UnsafeEnvironment.clear()
        for name in UnsafeEnvironment.names { #expect(getenv(name) == nil, "\(name)") }
        #expect(getenv("SSL_CERT_DIR") != nil)
        unsetenv("SSL_CERT_DIR")

        #expect(UnsafeEnvironment.takeRemoved() == UnsafeEnvironment.names)
        #expect(UnsafeEnvironment.takeRemoved() == [])
    }
}
