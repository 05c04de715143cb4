// swift-tools-version: 6.2
import PackageDescription

// Measures the programs of a release build, which are built without it: .github/CONTRIBUTING.md has the commands.

/// As in the package at the top: a warning is an error.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "Benchmarks",
    targets: [
        // A link to the sources at the top, whose declarations only targets of one package see.
        .target(name: "StrictJSON", path: "StrictJSON", swiftSettings: strict),
        .executableTarget(name: "Benchmarks", dependencies: ["StrictJSON"], swiftSettings: strict),
        .testTarget(name: "BenchmarksTests", dependencies: ["Benchmarks", "StrictJSON"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
