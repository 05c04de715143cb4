// swift-tools-version: 6.2
import PackageDescription

// A package of somebody else that uses the library by its path. Tests/Interop/test_embedding.py resolves it, compiles
// its program against the modules of the main build, and runs that.
let package = Package(
    name: "EmbeddedClient",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "foyer", path: "../..", traits: [])],
    targets: [
        .executableTarget(name: "EmbeddedClient", dependencies: [.product(name: "SilentFirst", package: "foyer")])
    ],
    swiftLanguageModes: [.v6]
)
