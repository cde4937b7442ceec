// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "meter",
    products: [.library(name: "Meter", targets: ["Meter"])],
    targets: [.target(name: "Meter", swiftSettings: [.treatAllWarnings(as: .error)])],
    swiftLanguageModes: [.v6]
)
