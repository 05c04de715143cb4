// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "MailClient",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "foyer", path: "../..", traits: [])],
    targets: [
        .target(name: "MailClient", dependencies: [.product(name: "SilentFirst", package: "foyer")]),
        .testTarget(
            name: "MailClientTests",
            dependencies: ["MailClient", .product(name: "SilentFirstTesting", package: "foyer")]),
    ])
