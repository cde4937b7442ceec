// swift-tools-version: 6.2
import Foundation
import PackageDescription

// The parts that share memory between threads or with C libraries, so that an instrumented build is short: bin/sanitize. With
// FANFARE_SANITIZE=all also those that stand on SwiftNIO or on the database: bin/sanitize --all.
let isWhole = Context.environment["FANFARE_SANITIZE"] == "all"

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")

var dependencies: [Package.Dependency] = [
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
]

var targets: [Target] = [
    .systemLibrary(name: "CLibpq", pkgConfig: "libpq"),
    .systemLibrary(name: "CLibcurl", pkgConfig: "libcurl"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto"),
    .target(name: "Concurrency"),
    .target(name: "Files"),
    .target(
        name: "PushModel",
        resources: [
            .embedInCode("code/Payloads/apple.json"), .embedInCode("code/Payloads/fcm.json"),
            .embedInCode("code/Payloads/other.json"), .embedInCode("code/Locales/locale.json"),
        ]),
    .target(name: "Telemetry", dependencies: ["PushModel", "Signing", log, metrics]),
    .target(name: "Postgres", dependencies: ["CLibpq", "Concurrency"]),
    .target(name: "PostgresServer", dependencies: ["Postgres", "Concurrency", "Files"]),
    .target(name: "HTTPTransport", dependencies: ["CLibcurl", "Concurrency"]),
    .target(name: "Signing", dependencies: ["COpenSSL"]),
    .target(name: "VectorSupport", path: "Tests/VectorSupport"),
    .testTarget(name: "ConcurrencyTests", dependencies: ["Concurrency"]),
    .testTarget(name: "TelemetryTests", dependencies: ["Telemetry", log, metrics]),
    .testTarget(
        name: "PostgresTests", dependencies: ["Postgres", "PostgresServer", "CLibpq", "VectorSupport"]),
    .testTarget(name: "HTTPTransportTests", dependencies: ["HTTPTransport", "CLibcurl"]),
    .testTarget(name: "SigningTests", dependencies: ["Signing", "VectorSupport"]),
]

if isWhole {
    dependencies += [
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
    ]
    let nio: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
    let http: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
    targets += [
        .target(name: "Providers", dependencies: ["PushModel", "HTTPTransport", "Signing"]),
        .target(
            name: "Configuration", dependencies: ["PushModel", "Signing", "Telemetry", "Files", log]),
        .target(
            name: "Store", dependencies: ["PushModel", "Postgres"], plugins: ["EmbedSchema"]),
        .plugin(name: "EmbedSchema", capability: .buildTool(), dependencies: ["schema-embedder"]),
        .executableTarget(name: "schema-embedder"),
        .target(
            name: "PushWorker",
            dependencies: [
                "PushModel", "Concurrency", "HTTPTransport", "Signing", "Providers", "Postgres", "Store", "Telemetry",
                log,
            ]),
        .target(name: "Campaigns", dependencies: ["PushModel", "Concurrency", "Files", "Postgres", "Store", log]),
        .target(
            name: "HTTPServer",
            dependencies: [
                http, nio, .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        .target(
            name: "HubEmulator",
            dependencies: [
                "PushModel", "Concurrency", "Files", "Signing", "HTTPServer", http, nio,
                .product(name: "Mustache", package: "swift-mustache"), log,
            ]),
        .target(
            name: "EmulatorTLS",
            dependencies: [
                "COpenSSL", "Signing", "HTTPServer", "HubEmulator", nio,
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
            ], path: "Sources/EmulatorTLSWhole"),
        .target(
            name: "Daemon",
            dependencies: [
                "PushModel", "Configuration", "Concurrency", "HTTPTransport", "Signing", "Providers", "Postgres",
                "Store", "PushWorker", "Campaigns", "HTTPServer", "Telemetry", log, http,
            ]),
        .target(
            name: "TestSupport",
            dependencies: [
                "PushModel", "HTTPTransport", "Signing", "Providers", "Postgres", "PostgresServer", "Store",
                "PushWorker", "HubEmulator", "EmulatorTLS", log,
            ], path: "Tests/TestSupport"),
        .testTarget(
            name: "StoreTests", dependencies: ["Store", "PushModel", "Postgres", "TestSupport", "VectorSupport"]),
        .testTarget(
            name: "PushWorkerTests",
            dependencies: [
                "PushWorker", "PushModel", "HTTPTransport", "Signing", "Providers", "Postgres", "PostgresServer",
                "Store", "HubEmulator", "TestSupport", "VectorSupport", log,
            ]),
        .testTarget(
            name: "HubEmulatorTests",
            dependencies: [
                "HubEmulator", "PushModel", "Signing", "HTTPServer", "EmulatorTLS", "HTTPTransport",
                "VectorSupport", log,
            ]),
        .testTarget(name: "DaemonTests", dependencies: ["Daemon", "Concurrency", "Configuration", "Postgres", "Store"]),
    ]
} else {
    targets += [
        // Only its certificates: the rest stands on SwiftNIO.
        .target(name: "EmulatorTLS", dependencies: ["COpenSSL", "Signing"]),
        .testTarget(name: "EmulatorTLSTests", dependencies: ["EmulatorTLS"]),
    ]
}

let package = Package(
    name: "sanitize", dependencies: dependencies, targets: targets, swiftLanguageModes: [.v6])
