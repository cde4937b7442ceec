// swift-tools-version: 6.2
import PackageDescription

// The usual HTTP client in Swift, only for comparison. Not in the package of TransportBench: this client brings a module
// `Configuration`, and so has Fanfare, which SwiftPM refuses.
let package = Package(
    name: "async-http-client-bench",
    dependencies: [
        .package(path: "../Meter"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    ],
    targets: [
        .executableTarget(
            name: "AsyncHTTPClientBench",
            dependencies: [
                .product(name: "Meter", package: "Meter"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
