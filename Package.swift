// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors in our own targets only; packages we depend on keep their own rules.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "fanfare",
    targets: [
        .target(name: "PushModel", swiftSettings: strict),
        .testTarget(name: "PushModelTests", dependencies: ["PushModel"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
