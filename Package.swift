// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors in our own targets only; packages we depend on keep their own rules.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")

// Vectors: wire facts as JSON, copied into the tests that check them.
func test(_ target: String, _ dependencies: [Target.Dependency], vectors: Bool = false) -> Target {
    .testTarget(
        name: target + "Tests", dependencies: [.target(name: target)] + dependencies,
        resources: vectors ? [.copy("Vectors")] : [], swiftSettings: strict)
}

let package = Package(
    name: "fanfare",
    products: [
        .executable(name: "fanfare", targets: ["fanfare"]),
        // For Benchmarks, which is a package of its own.
        .library(name: "HTTPTransport", targets: ["HTTPTransport"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // One C library each, through pkg-config; nothing but the door between C and Swift.
        .systemLibrary(
            name: "CLibpq", path: "Sources/CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CLibcurl", path: "Sources/CLibcurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),

        .target(name: "PushModel", swiftSettings: strict),
        .target(name: "Telemetry", dependencies: [log], swiftSettings: strict),
        .target(name: "Postgres", dependencies: ["CLibpq"], swiftSettings: strict),
        // Private servers, for tests, the demo and chaos.
        .target(name: "PostgresServer", dependencies: ["Postgres"], swiftSettings: strict),
        .target(name: "HTTPTransport", dependencies: ["CLibcurl"], swiftSettings: strict),
        .target(name: "Signing", dependencies: ["COpenSSL"], swiftSettings: strict),
        .target(name: "Providers", dependencies: ["PushModel", "HTTPTransport", "Signing"], swiftSettings: strict),
        .target(
            name: "Store", dependencies: ["PushModel", "Postgres"],
            // The files of migrations/ are compiled in, so that a binary carries its schema.
            resources: [
                .embedInCode("Migrations/0001_tables.sql"), .embedInCode("Migrations/0002_enqueue.sql"),
                .embedInCode("Migrations/0003_protocol.sql"), .embedInCode("Migrations/0004_people.sql"),
                .embedInCode("Migrations/0005_operations.sql"), .embedInCode("Migrations/0006_roles.sql"),
            ],
            swiftSettings: strict),
        .target(
            name: "PushWorker",
            dependencies: [
                "PushModel", "HTTPTransport", "Signing", "Providers", "Postgres", "Store", "Telemetry", log,
            ],
            swiftSettings: strict),
        .target(
            name: "HTTPServer",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .target(
            name: "HubEmulator",
            dependencies: [
                "PushModel", "Signing", "HTTPServer", .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Mustache", package: "swift-mustache"), log,
            ],
            swiftSettings: strict),
        .target(
            name: "Daemon",
            dependencies: [
                "PushModel", "HTTPTransport", "Signing", "Providers", "Postgres", "Store", "PushWorker", "HTTPServer",
                "Telemetry", log, .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Configuration", package: "swift-configuration"),
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "fanfare",
            dependencies: [
                "PushModel", "HTTPTransport", "Signing", "Providers", "Postgres", "Store", "PushWorker", "HubEmulator",
                "Daemon", "Telemetry", "PostgresServer", log,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict),
        // Breaks a running system on purpose and proves afterwards that nothing was lost or repeated: bin/chaos.
        .target(
            name: "Chaos",
            dependencies: ["PushModel", "Signing", "Postgres", "Store", "HubEmulator", log], swiftSettings: strict),
        .executableTarget(
            name: "fanfare-chaos",
            dependencies: ["Chaos", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Sources/ChaosCommand", swiftSettings: strict),
        .target(
            name: "TestSupport",
            dependencies: [
                "PushModel", "HTTPTransport", "Signing", "Providers", "Postgres", "PostgresServer", "Store",
                "PushWorker", "HubEmulator",
                log,
            ],
            path: "Tests/TestSupport", swiftSettings: strict),

        test("PushModel", [], vectors: true),
        test("Telemetry", [log]),
        test("Postgres", ["CLibpq", "PostgresServer"], vectors: true),
        test("PostgresServer", ["Postgres"]),
        test("HTTPTransport", ["CLibcurl"]),
        test("Signing", [], vectors: true),
        test("Providers", ["PushModel", "HTTPTransport", "Signing"], vectors: true),
        test("Store", ["PushModel", "Postgres", "TestSupport"], vectors: true),
        test(
            "PushWorker",
            [
                "PushModel", "HTTPTransport", "Signing", "Providers", "Postgres", "PostgresServer", "Store",
                "HubEmulator",
                "TestSupport", log,
            ]),
        test("HubEmulator", ["PushModel", "Signing", "HTTPServer", "HTTPTransport", log], vectors: true),
        test("Chaos", ["PushModel", "HubEmulator"]),
        test("Daemon", ["PushModel", "Signing", "Postgres", "Telemetry", log], vectors: true),
        .testTarget(
            name: "FanfareTests",
            dependencies: [
                "fanfare", "PushModel", "Postgres", "PostgresServer", "HTTPTransport", "Signing", "Daemon",
                "HubEmulator",
                "TestSupport",
            ],
            swiftSettings: strict),
        // What deploy/ and docs/ hold is tried: units, images, recipes.
        .testTarget(
            name: "DocumentTests",
            dependencies: [
                "fanfare", "PushModel", "Postgres", "PostgresServer", "Store", "HubEmulator", "TestSupport",
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
