// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors in our own targets only; packages we depend on keep their own rules.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")

func test(_ target: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = strict) -> Target {
    .testTarget(
        name: target + "Tests", dependencies: [.target(name: target)] + dependencies, swiftSettings: settings)
}

let package = Package(
    name: "fanfare",
    products: [
        .executable(name: "fanfare", targets: ["fanfare"]),
        .executable(name: "fanfare-emulator", targets: ["fanfare-emulator"]),
        .executable(name: "fanfare-lab", targets: ["fanfare-lab"]),
        .executable(name: "fanfare-chaos", targets: ["fanfare-chaos"]),
        // For Benchmarks, which is a package of its own.
        .library(name: "HTTPTransport", targets: ["HTTPTransport"]),
        .library(name: "PushModel", targets: ["PushModel"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // One C library each, through pkg-config; only what Swift cannot call by itself. Each has one importer, COpenSSL two
        // (Signing, and EmulatorTLS for X.509).
        .systemLibrary(
            name: "CLibpq", path: "Sources/CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CLibcurl", path: "Sources/CLibcurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CNghttp2", path: "Sources/CNghttp2", pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(
            name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),

        // The rules of payloads and of locales and the kinds of hubs, which bin/generate writes into the schema as well.
        .target(
            name: "PushModel",
            resources: [
                .embedInCode("Payloads/apple.json"), .embedInCode("Payloads/fcm.json"),
                .embedInCode("Payloads/other.json"), .embedInCode("Locales/locale.json"),
                .embedInCode("Message/hub_kinds.json"),
            ], swiftSettings: strict),
        .target(
            name: "Telemetry", dependencies: ["PushModel", "Concurrency", "Signing", log, metrics],
            swiftSettings: strict),
        // Reading files whole and writing them at once. Imports nothing of ours.
        .target(name: "Files", swiftSettings: strict),
        // The settings: their keys, where they come from, what must hold. No network, no database.
        .target(
            name: "Configuration", dependencies: ["PushModel", "Signing", "Telemetry", "Files", log],
            swiftSettings: strict),
        // Locks, latches and queues of waiting tasks, and threads of our own. Imports nothing of ours.
        .target(name: "Concurrency", swiftSettings: strict),
        .target(name: "Postgres", dependencies: ["CLibpq", "Concurrency"], swiftSettings: strict),
        // Private servers, for tests, the demo and chaos.
        .target(name: "PostgresServer", dependencies: ["Postgres", "Concurrency", "Files"], swiftSettings: strict),
        .target(name: "HTTPTransport", dependencies: ["CLibcurl", "CNghttp2", "Concurrency"], swiftSettings: strict),
        .target(name: "Signing", dependencies: ["COpenSSL"], swiftSettings: strict),
        .target(
            name: "Providers", dependencies: ["PushModel", "Concurrency", "HTTPTransport", "Signing"],
            swiftSettings: strict),
        .target(
            name: "Store", dependencies: ["PushModel", "Concurrency", "Postgres"], swiftSettings: strict,
            plugins: ["EmbedFiles"]),
        // Compiles files in as strings: migrations/ into Store, so that a binary carries its schema, and what pages are made of.
        .plugin(name: "EmbedFiles", capability: .buildTool(), dependencies: ["file-embedder"]),
        .executableTarget(name: "file-embedder", swiftSettings: strict),
        .target(
            name: "PushWorker",
            dependencies: [
                "PushModel", "Concurrency", "HTTPTransport", "Signing", "Providers", "Postgres", "Store", "Telemetry",
                log,
            ],
            swiftSettings: strict),
        // The audiences of campaigns become messages, just ahead of sending.
        .target(
            name: "Campaigns", dependencies: ["PushModel", "Concurrency", "Files", "Postgres", "Store", log],
            swiftSettings: strict),
        .target(
            name: "HTTPServer",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: strict),
        // What pages for browsers are made of: templates, views, styles and scripts, and what requests for pages must be.
        .target(
            name: "Pages",
            dependencies: [
                "PushModel", "Signing", "HTTPServer", .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            swiftSettings: strict, plugins: ["EmbedFiles"]),
        .target(
            name: "HubEmulator",
            dependencies: [
                "PushModel", "Concurrency", "Files", "Signing", "HTTPServer", "Pages",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"), log,
            ],
            swiftSettings: strict, plugins: ["EmbedFiles"]),
        // TLS for the emulator, with certificates made on the spot: only the programs and tests that need it link a TLS
        // library. The second importer of COpenSSL, for X.509.
        .target(
            name: "EmulatorTLS",
            dependencies: [
                "COpenSSL", "Signing", "HTTPServer", "HubEmulator", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
            ],
            swiftSettings: strict),
        // Pages for people on call and for owners of campaigns, and what they do.
        .target(
            name: "Console",
            dependencies: [
                "PushModel", "Concurrency", "Signing", "Postgres", "Store", "Campaigns", "HTTPServer", "Pages", log,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict, plugins: ["EmbedFiles"]),
        .target(
            name: "Daemon",
            dependencies: [
                "PushModel", "Configuration", "Concurrency", "HTTPTransport", "Signing", "Providers", "Postgres",
                "Store", "PushWorker", "Campaigns", "Console", "HTTPServer", "Telemetry", log,
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: strict),
        // What the programs share: options, output, failures, exit statuses, the manual page.
        .target(
            name: "CommandLineTool",
            dependencies: [
                "PushModel", "Concurrency", "Files", "Signing", "Telemetry", "Configuration", log, arguments,
                signals,
            ],
            swiftSettings: strict),
        // What runs in production and what its operator needs; ProgramTests hold it to what it may link.
        .executableTarget(
            name: "fanfare",
            dependencies: [
                "PushModel", "Concurrency", "Files", "HTTPTransport", "Signing", "Providers", "Postgres", "Store",
                "PushWorker", "Campaigns", "Configuration", "Console", "Daemon", "HTTPServer", "Telemetry",
                "CommandLineTool", log,
                arguments, signals,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict),
        // A notification hub on this machine, of use without the rest.
        .executableTarget(
            name: "fanfare-emulator",
            dependencies: [
                "PushModel", "Concurrency", "HTTPTransport", "Signing", "HubEmulator", "EmulatorTLS", "Configuration",
                "Telemetry", "CommandLineTool", log, arguments, signals,
            ],
            swiftSettings: strict),
        // Breaks a running system on purpose and proves afterwards that nothing was lost or repeated: bin/chaos.
        .target(
            name: "Chaos",
            dependencies: [
                "PushModel", "Signing", "Postgres", "PostgresServer", "Store", "HubEmulator", "EmulatorTLS", log,
            ],
            swiftSettings: strict),
        // For people of this repository. Apart from fanfare-lab: its hubs speak TLS and HTTP/2.
        .executableTarget(
            name: "fanfare-chaos",
            dependencies: ["PushModel", "Postgres", "PostgresServer", "Chaos", "CommandLineTool", arguments],
            swiftSettings: strict),
        // The demo, for people of this repository: bin/demo calls it.
        .executableTarget(
            name: "fanfare-lab",
            dependencies: [
                "PushModel", "Signing", "Postgres", "PostgresServer", "Store", "PushWorker", "HubEmulator",
                "Configuration", "Daemon",
                "Telemetry", "CommandLineTool", "Concurrency", log, arguments, signals,
            ],
            swiftSettings: strict),
        .target(
            name: "TestSupport",
            dependencies: [
                "PushModel", "Concurrency", "Configuration", "HTTPTransport", "Signing", "Providers", "Postgres",
                "PostgresServer", "Store", "PushWorker", "Daemon", "HubEmulator", "EmulatorTLS", "Telemetry", log,
            ],
            path: "Tests/TestSupport", swiftSettings: strict),
        // Wire facts and cases that several targets test, in Tests/Vectors. Imports nothing of ours.
        .target(name: "VectorSupport", path: "Tests/VectorSupport", swiftSettings: strict),
        // A raw connection, for tests that speak HTTP byte by byte. Imports nothing of ours.
        .target(name: "SocketSupport", path: "Tests/SocketSupport", swiftSettings: strict),
        // Runs the built programs as a shell would.
        .target(name: "ProgramSupport", path: "Tests/ProgramSupport", swiftSettings: strict),

        test("PushModel", ["VectorSupport"]),
        test("Concurrency", []),
        test("Telemetry", ["Concurrency", log, metrics]),
        test("Files", []),
        test("Configuration", ["PushModel", "Signing", "Telemetry", "VectorSupport", log]),
        test("Postgres", ["CLibpq", "PostgresServer", "VectorSupport"]),
        test("PostgresServer", ["Postgres"]),
        test("HTTPTransport", ["CLibcurl", "COpenSSL", "Concurrency", "PushModel"]),
        test("Signing", ["VectorSupport"]),
        test(
            "HTTPServer",
            [
                "SocketSupport", .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        test(
            "Pages",
            ["PushModel", "Signing", "HTTPServer", .product(name: "HTTPTypes", package: "swift-http-types")]),
        test(
            "Console",
            [
                "fanfare", "PushModel", "Concurrency", "Signing", "Postgres", "PostgresServer", "Store", "HTTPServer",
                "Pages",
                "ProgramSupport", "SocketSupport", "TestSupport", log,
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        test("EmulatorTLS", ["HubEmulator", "Signing"]),
        test("Providers", ["PushModel", "Concurrency", "HTTPTransport", "Signing", "VectorSupport"]),
        test("Store", ["PushModel", "Concurrency", "Postgres", "Campaigns", "TestSupport", "VectorSupport", log]),
        test(
            "PushWorker",
            [
                "PushModel", "Concurrency", "HTTPTransport", "Signing", "Providers", "Postgres", "PostgresServer",
                "Store", "HubEmulator", "Telemetry", "TestSupport", "VectorSupport", log,
            ]),
        test(
            "HubEmulator",
            [
                "PushModel", "Signing", "Pages", "EmulatorTLS", "HTTPTransport", "Providers", "SocketSupport",
                "VectorSupport", log,
            ]),
        test("Campaigns", ["PushModel", "Postgres", "Store", "TestSupport", "ProgramSupport", log]),
        // The model of the protocol goes through millions of states, which takes minutes without optimization.
        test(
            "Chaos", ["PushModel", "HubEmulator", "Postgres", "Store", "TestSupport"],
            strict + [.unsafeFlags(["-O"])]),
        test(
            "Daemon",
            [
                "Concurrency", "Configuration", "Postgres", "PushModel", "PushWorker", "Signing", "SocketSupport",
                "Store", "Telemetry", "TestSupport", log,
            ]),
        .testTarget(
            name: "FanfareTests",
            dependencies: [
                "fanfare", "PushModel", "Postgres", "Store", "PostgresServer", "HTTPTransport", "Providers", "Signing",
                "Configuration", "PushWorker", "Console",
                "Daemon", "CommandLineTool", "HubEmulator", "EmulatorTLS", "Telemetry", "TestSupport", "ProgramSupport",
                "SocketSupport", "VectorSupport", log, metrics,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FanfareEmulatorTests",
            dependencies: [
                "fanfare-emulator", "fanfare", "Configuration", "PushModel", "HTTPTransport", "Signing", "HubEmulator",
                "CommandLineTool",
                "ProgramSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "FanfareLabTests",
            dependencies: ["fanfare-lab", "PushModel", "HubEmulator", "CommandLineTool", "ProgramSupport"],
            swiftSettings: strict),
        test("CommandLineTool", ["Files"]),
        // What holds for all programs: their help, what they link, their packages.
        .testTarget(
            name: "ProgramTests",
            dependencies: ["fanfare", "fanfare-emulator", "fanfare-lab", "fanfare-chaos", "ProgramSupport"],
            swiftSettings: strict),
        // What deploy/ and docs/ hold is tried: units, images, recipes.
        .testTarget(
            name: "DocumentTests",
            dependencies: [
                "fanfare", "fanfare-emulator", "PushModel", "Postgres", "PostgresServer", "Store", "HubEmulator",
                "TestSupport", "ProgramSupport", "VectorSupport",
            ],
            swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
