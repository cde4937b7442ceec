// swift-tools-version: 6.2
import PackageDescription

// The parts that share memory between threads or with C libraries, and nothing else of Fanfare, so that an instrumented
// build takes two minutes: bin/sanitize.
let package = Package(
    name: "sanitize",
    dependencies: [.package(url: "https://github.com/apple/swift-log", exact: "1.16.2")],
    targets: [
        .systemLibrary(name: "CLibpq", pkgConfig: "libpq"),
        .systemLibrary(name: "CLibcurl", pkgConfig: "libcurl"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto"),
        .target(name: "Concurrency"),
        .target(name: "Files"),
        .target(name: "PushModel"),
        .target(
            name: "Telemetry", dependencies: ["PushModel", "Signing", .product(name: "Logging", package: "swift-log")]),
        .target(name: "Postgres", dependencies: ["CLibpq", "Concurrency"]),
        .target(name: "PostgresServer", dependencies: ["Postgres", "Concurrency", "Files"]),
        .target(name: "HTTPTransport", dependencies: ["CLibcurl", "Concurrency"]),
        .target(name: "Signing", dependencies: ["COpenSSL"]),
        // Only its certificates: the rest stands on SwiftNIO.
        .target(name: "EmulatorTLS", dependencies: ["COpenSSL", "Signing"]),
        .testTarget(name: "ConcurrencyTests", dependencies: ["Concurrency"]),
        .testTarget(
            name: "TelemetryTests", dependencies: ["Telemetry", .product(name: "Logging", package: "swift-log")]),
        .testTarget(
            name: "PostgresTests", dependencies: ["Postgres", "PostgresServer", "CLibpq"],
            resources: [.copy("code/Vectors")]),
        .testTarget(name: "HTTPTransportTests", dependencies: ["HTTPTransport", "CLibcurl"]),
        .testTarget(name: "SigningTests", dependencies: ["Signing"], resources: [.copy("code/Vectors")]),
        .testTarget(name: "EmulatorTLSTests", dependencies: ["EmulatorTLS"]),
    ],
    swiftLanguageModes: [.v6]
)
