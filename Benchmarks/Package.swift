// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "fanfare", path: ".."),
        // The usual HTTP client in Swift, only for comparison.
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    ],
    targets: [
        .target(name: "Meter", swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "TransportBench", dependencies: ["Meter", .product(name: "HTTPTransport", package: "fanfare")],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "AsyncHTTPClientBench",
            dependencies: [
                "Meter",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]),
    ],
    swiftLanguageModes: [.v6]
)
