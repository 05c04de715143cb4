// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Hello",
    dependencies: [
        .package(path: "../foyer", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "Hello",
            dependencies: [.product(name: "SilentFirst", package: "foyer")])
    ]
)
