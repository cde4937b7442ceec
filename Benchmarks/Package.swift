// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "fanfare", path: "..")],
    targets: [
        .executableTarget(
            name: "TransportBench", dependencies: [.product(name: "HTTPTransport", package: "fanfare")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
