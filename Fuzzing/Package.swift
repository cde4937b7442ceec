// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because everything in it is compiled for libFuzzer. The sources are links to the real ones: only
// the parsers and what they stand on, so that no network library has to be built with them.

let guided: [SwiftSetting] = [
    .unsafeFlags(["-sanitize=fuzzer", "-parse-as-library", "-enable-testing"]), .treatAllWarnings(as: .error),
]

let package = Package(
    name: "fuzzing",
    targets: [
        .systemLibrary(name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CLibpq", path: "Sources/CLibpq", pkgConfig: "libpq"),
        .target(name: "PushModel", swiftSettings: guided),
        .target(name: "Signing", dependencies: ["COpenSSL"], swiftSettings: guided),
        .target(name: "HubEmulator", dependencies: ["PushModel", "Signing"], swiftSettings: guided),
        .target(name: "Providers", swiftSettings: guided),
        .target(name: "Postgres", dependencies: ["CLibpq"], swiftSettings: guided),
        .target(name: "Daemon", swiftSettings: guided),
        .executableTarget(
            name: "Fuzz",
            dependencies: ["PushModel", "Signing", "HubEmulator", "Providers", "CLibpq", "Postgres", "Daemon"],
            swiftSettings: guided,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]),
    ],
    swiftLanguageModes: [.v6]
)
