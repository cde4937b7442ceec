// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "fanfare", path: ".."), .package(path: "Meter")],
    targets: [
        .executableTarget(
            name: "TransportBench",
            dependencies: [
                .product(name: "Meter", package: "Meter"), .product(name: "HTTPTransport", package: "fanfare"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "PlanBench", dependencies: [.product(name: "PushModel", package: "fanfare")],
            swiftSettings: [.treatAllWarnings(as: .error)]),
    ],
    swiftLanguageModes: [.v6]
)
