// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because everything in it is compiled for libFuzzer. bin/fuzz builds it in .build-fuzz, with links to the
// real sources: whole targets, except for the emulator, whose parsers stand alone so that SwiftNIO is not built with them.

let guided: [SwiftSetting] = [
    .unsafeFlags(["-sanitize=fuzzer", "-parse-as-library", "-enable-testing"]), .treatAllWarnings(as: .error),
]

let package = Package(
    name: "fuzzing",
    targets: [
        .systemLibrary(name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CLibpq", path: "Sources/CLibpq", pkgConfig: "libpq"),
        .systemLibrary(name: "CLibcurl", path: "Sources/CLibcurl", pkgConfig: "libcurl"),
        .systemLibrary(name: "CNghttp2", path: "Sources/CNghttp2", pkgConfig: "libnghttp2"),
        .target(
            name: "PushModel",
            resources: [
                .embedInCode("Payloads/apple.json"), .embedInCode("Payloads/fcm.json"),
                .embedInCode("Payloads/other.json"),
                .embedInCode("Locales/locale.json"), .embedInCode("Message/hub_kinds.json"),
            ], swiftSettings: guided),
        .target(name: "Signing", dependencies: ["COpenSSL"], swiftSettings: guided),
        .target(name: "HubEmulator", dependencies: ["PushModel", "Signing"], swiftSettings: guided),
        .target(name: "Concurrency", swiftSettings: guided),
        .target(name: "HTTPTransport", dependencies: ["CLibcurl", "CNghttp2", "Concurrency"], swiftSettings: guided),
        .target(
            name: "Providers", dependencies: ["PushModel", "Concurrency", "HTTPTransport", "Signing"],
            swiftSettings: guided),
        .target(name: "Postgres", dependencies: ["CLibpq", "Concurrency"], swiftSettings: guided),
        .executableTarget(
            name: "Fuzz",
            dependencies: ["PushModel", "Signing", "HubEmulator", "Providers", "CLibpq", "Postgres"],
            swiftSettings: guided,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]),
    ],
    swiftLanguageModes: [.v6]
)
