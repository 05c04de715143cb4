// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The archive of libFuzzer, where `Tests/run fuzz` builds what it runs: our targets then count the branches that an
/// input reaches, and check what their debug builds check.
let fuzzer = Context.environment["FOYER_FUZZ"] ?? ""

/// What the programs need and the library does not: packages, compiler flags that SwiftPM calls unsafe, and warnings as
/// errors. A package that depends on the library with `traits: []` has none of it.
let programs: Set<String> = ["Programs"]

/// Every target of ours is built with the same strictness; a warning is an error.
let published: [SwiftSetting] =
    [
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error, .when(traits: programs)),
        // A generic type is made from the conformances that the compiler knows. Made from its mangled name, each one is
        // looked for in a list of everything that the program contains: 0.4 million instructions for a dictionary.
        .unsafeFlags(
            ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"],
            .when(platforms: [.linux], configuration: .release, traits: programs)),
    ]
    + (fuzzer.isEmpty
        ? [] : [.unsafeFlags(["-sanitize=address,fuzzer", "-enable-testing", "-assert-config", "Debug"])])

/// For all targets but the library's: the linker of a program leaves out what the program does not use.
let strict =
    published + [
        .unsafeFlags(
            ["-Xfrontend", "-internalize-at-link", "-Xfrontend", "-function-sections"],
            .when(platforms: [.linux], configuration: .release, traits: programs))
    ]

/// GNU ld separates constants from code, leaves out sections and packs relocations; gold does none of these.
let linker: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-use-ld=bfd", "-Xlinker", "-T", "-Xlinker",
            Context.packageDirectory + "/Sources/CNcurses/static/sections.ld",
        ],
        .when(platforms: [.linux], configuration: .release))
]

/// Nothing loads a program of ours to look up its symbols: linking the runtime statically would export 40,000 of them.
let program: [LinkerSetting] =
    linker + [
        .unsafeFlags(
            ["-Xlinker", "--no-export-dynamic", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"],
            .when(platforms: [.linux], configuration: .release)),
        // What is looked up in shared libraries is read-only from the start on.
        .unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"], .when(platforms: [.linux])),
    ]

/// Linked statically where the system has the archives, as it then looks up a hundred symbols at a start and not 2,300:
/// the scripts in this folder, which the linker finds first, name the archives and not the shared libraries.
let screenProgram: [LinkerSetting] = {
    let files = FileManager.default
    func contents(_ folder: String) -> [String] {
        ((try? files.contentsOfDirectory(atPath: folder)) ?? []).map { "\(folder)/\($0)" }
    }
    let hasNcurses = (contents("/usr/lib") + ["/usr/lib64"]).contains { folder in
        ["libncursesw.a", "libtinfo.a"].allSatisfy { files.fileExists(atPath: "\(folder)/\($0)") }
    }
    let hasCxx = contents("/usr/lib/gcc").flatMap(contents).contains { files.fileExists(atPath: $0 + "/libstdc++.a") }
    guard hasNcurses, hasCxx else { return program }
    let folder = Context.packageDirectory + "/Sources/CNcurses/static"
    return program + [.unsafeFlags(["-L", folder], .when(platforms: [.linux], configuration: .release))]
}()

let crypto: [Target.Dependency] = [
    .product(name: "Crypto", package: "swift-crypto"),
    .product(name: "CryptoExtras", package: "swift-crypto"),
]
let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")

/// A product that only the programs need. SwiftPM leaves out a package all of whose uses are under a trait that is off.
func ofPrograms(_ product: String, _ package: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: programs))
}
let argumentParser = ofPrograms("ArgumentParser", "swift-argument-parser")
let toml = ofPrograms("TOMLKit", "TOMLKit")
let lifecycle = ofPrograms("ServiceLifecycle", "swift-service-lifecycle")
let logging = ofPrograms("Logging", "swift-log")

/// What the builder says of the build, as `.packaging/build` does; nothing where it is no such word.
func told(_ name: String) -> [CSetting] {
    guard let value = Context.environment[name], !value.isEmpty, value.utf8.count <= 100,
        value.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || " .-+()".contains($0)) })
    else { return [] }
    return [.define(name, to: "\"\(value)\"")]
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// `Tests/Fuzz`, which no other build sees: libFuzzer's archive comes with the compiler, and not with a library's name.
let fuzzing: [Target] =
    fuzzer.isEmpty
    ? []
    : [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
        .executableTarget(
            name: "foyer-fuzz",
            dependencies: [
                "StrictJSON", "StrictTOML", "Identity", "Explain", "LegacyCaches", "TokenCache", "Wire", "Console",
                "Keys", "Terminal", "AppModel", "CommandSupport", "Agent", "Helpers", "Programs", "CFuzzer",
                toml,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tests/Fuzz", exclude: ["CFuzzer", "fuzz.py"], swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-Xlinker", fuzzer]), .linkedLibrary("stdc++")]),
    ]

let package = Package(
    name: "foyer",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "foyer", targets: ["foyer"]),
        .executable(name: "foyer-main", targets: ["foyer-main"]),
        .executable(name: "foyer-sandbox", targets: ["foyer-sandbox"]),
        // Identity declares the nouns of SilentFirst's signatures, and Explain says what a provider's numbers mean:
        // callers import what they use.
        .library(name: "SilentFirst", targets: ["SilentFirst", "Identity", "Explain"]),
        .library(name: "SilentFirstTesting", targets: ["SilentFirstTesting"]),
    ],
    traits: [
        .trait(name: "Programs", description: "foyer, foyer-main and foyer-sandbox. The library needs none of it."),
        .default(enabledTraits: programs),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // Its default traits bring all of Foundation, with ICU, which nothing here uses.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/LebJe/TOMLKit", from: "0.6.0"),
    ],
    targets: [
        // The words and the reader: no input, no output.
        .target(name: "StrictJSON", swiftSettings: strict),
        .target(name: "StrictTOML", dependencies: [toml], swiftSettings: strict),
        .target(name: "Identity", dependencies: ["StrictJSON"], swiftSettings: published),
        .target(name: "Explain", dependencies: ["Identity", "StrictJSON"], swiftSettings: published),

        // Where credentials rest, and what is said to a provider.
        .target(name: "CLinux", publicHeadersPath: "."),
        .target(name: "LegacyCaches", dependencies: ["Identity", "StrictJSON"], swiftSettings: strict),
        .target(
            name: "TokenCache",
            dependencies: ["Identity", "LegacyCaches", "StrictJSON", "CLinux", system] + crypto,
            swiftSettings: strict),
        .target(name: "Proofs", dependencies: ["Identity", "StrictJSON"] + crypto, swiftSettings: strict),
        .target(
            name: "Wire",
            dependencies: [
                "Identity", "Proofs", "StrictJSON",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ] + crypto,
            swiftSettings: strict),

        // The core without a network, and its public door.
        .target(
            name: "SilentCore", dependencies: ["Explain", "Identity", "LegacyCaches", "Proofs", "TokenCache"],
            swiftSettings: strict),
        .target(
            name: "SilentFirst",
            dependencies: [
                "Identity", "LegacyCaches", "Proofs", "SilentCore", "StrictJSON", "TokenCache", "Wire",
                // The type of a parameter. AsyncHTTPClient links it in any case.
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: published),

        // A provider, a clock and a browser for the tests of programs that use the library.
        .target(
            name: "SilentFirstTesting",
            dependencies: ["Identity", "SilentFirst", "StrictJSON", "TokenCache", "Wire"] + crypto,
            swiftSettings: published),

        // What a program at a terminal needs, with screens or without.
        .target(name: "CStart", publicHeadersPath: "."),
        .target(name: "Console", dependencies: ["CLinux", "CStart"], swiftSettings: strict),

        // The terminal and the screens.
        .target(
            name: "Themes", path: "Themes",
            resources: [
                .embedInCode("default.toml"), .embedInCode("high-contrast.toml"),
                .embedInCode("solarized-dark.toml"), .embedInCode("solarized-light.toml"),
                .embedInCode("nord.toml"), .embedInCode("gruvbox.toml"), .embedInCode("monochrome.toml"),
                .embedInCode("colour-blind.toml"),
            ], swiftSettings: strict),
        .target(name: "Keys", swiftSettings: strict),
        .systemLibrary(name: "CNcurses"),
        .systemLibrary(name: "CQREncode"),
        .target(
            name: "Terminal",
            dependencies: ["CLinux", "CNcurses", "CQREncode", "Console", "Keys", "Themes", "StrictTOML", toml],
            swiftSettings: strict),

        // What the program shows and does, and its faces.
        .target(name: "AppModel", dependencies: ["Explain", "Identity", "Keys"], swiftSettings: strict),
        .target(name: "Plain", dependencies: ["AppModel", "Identity", "Keys"], swiftSettings: strict),
        .target(
            name: "Screens", dependencies: ["AppModel", "Console", "Identity", "Keys", "Terminal"],
            swiftSettings: strict),

        // Options, environment and settings put together for a command, and its output.
        .target(
            name: "CommandSupport",
            dependencies: [
                "CLinux", "Console", "Explain", "Identity", "LegacyCaches", "SilentCore", "StrictJSON", "StrictTOML",
                "TokenCache", system, toml,
            ],
            swiftSettings: strict),
        .target(
            name: "TokenCalls",
            dependencies: ["CommandSupport", "Console", "Identity", "SilentCore", "SilentFirst", "TokenCache"],
            swiftSettings: strict),

        // The service that makes silent calls for other processes.
        .target(
            name: "Agent",
            dependencies: [
                "CommandSupport", "Console", "Identity", "Proofs", "SilentCore", "SilentFirst", "StrictJSON",
                "TokenCache", "TokenCalls", "Bus", "CLinux", system,
                logging,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                lifecycle,
            ],
            swiftSettings: strict),

        // Other programs, served in their own protocols: from the cache, and with a network.
        .target(
            name: "Helpers",
            dependencies: ["CLinux", "CommandSupport", "Console", "Identity", "Proofs", "StrictJSON", "TokenCache"],
            swiftSettings: strict),
        .target(
            name: "Programs",
            dependencies: [
                "CommandSupport", "Console", "Helpers", "Identity", "Proofs", "SilentCore", "SilentFirst", "StrictJSON",
                "TokenCache", "TokenCalls", "Wire", system,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict),

        // The Linux broker, as its client and as the broker.
        .target(name: "CDBus", publicHeadersPath: "."),
        .target(name: "Bus", dependencies: ["CDBus"], swiftSettings: strict),
        .target(
            name: "Broker",
            dependencies: [
                "Bus", "CommandSupport", "Console", "Identity", "SilentFirst", "StrictJSON", "TokenCache", system,
            ],
            swiftSettings: strict),

        // The programs.
        .target(name: "CHelpPages", publicHeadersPath: "."),
        .target(name: "CBuild", publicHeadersPath: ".", cSettings: told("FOYER_COMMIT") + told("FOYER_COMPILER")),
        .executableTarget(
            name: "foyer", dependencies: ["CommandSupport", "Console", "Helpers", "Identity", "TokenCache"],
            swiftSettings: strict,
            linkerSettings: linker + [
                .unsafeFlags(["-static-executable"]),
                // A debug build keeps parts of FoundationEssentials whose libraries are not asked for by themselves.
                .linkedLibrary("_FoundationCollections"), .linkedLibrary("_FoundationCShims"),
            ]),
        .executableTarget(
            name: "foyer-main",
            dependencies: [
                "StrictJSON", "StrictTOML", "Identity", "Explain", "LegacyCaches", "TokenCache", "Wire", "SilentCore",
                "SilentFirst", "TokenCalls", "Keys", "Console", "Terminal", "AppModel", "Plain", "Screens",
                "CommandSupport", "CBuild", "CHelpPages", "Agent", "Broker", "Bus", "Helpers", "Programs",
                "CLinux",
                argumentParser, system, toml,
                logging,
                lifecycle,
                ofPrograms("UnixSignals", "swift-service-lifecycle"),
            ],
            swiftSettings: strict, linkerSettings: screenProgram),
        .target(
            name: "Sandbox",
            dependencies: [
                ofPrograms("Hummingbird", "hummingbird"),
                ofPrograms("HummingbirdTLS", "hummingbird"),
                ofPrograms("HTTPTypes", "swift-http-types"),
                logging,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                ofPrograms("SwiftASN1", "swift-asn1"),
                ofPrograms("X509", "swift-certificates"),
            ] + crypto,
            swiftSettings: strict),
        .executableTarget(
            name: "foyer-sandbox", dependencies: ["Sandbox", argumentParser], swiftSettings: strict,
            linkerSettings: program),
        .executableTarget(
            name: "silent-first-example", dependencies: ["SilentFirst", "Identity"], swiftSettings: strict,
            linkerSettings: program),

        // How the tests wait.
        .target(name: "Waiting", path: "Tests/Waiting", swiftSettings: strict),
        tests("StrictJSONTests", ["StrictJSON"]),
        tests("StrictTOMLTests", ["StrictTOML", toml]),
        tests("IdentityTests", ["Identity", "StrictJSON"]),
        tests("ExplainTests", ["Explain", "Identity"]),
        .testTarget(
            name: "LegacyCachesTests", dependencies: ["LegacyCaches", "Identity", "Waiting"], exclude: ["Fixtures"],
            swiftSettings: strict),
        .testTarget(
            name: "TokenCacheTests",
            dependencies: ["TokenCache", "LegacyCaches", "Identity", "StrictJSON", "Waiting", system] + crypto,
            exclude: ["Fixtures"],
            swiftSettings: strict),
        tests(
            "WireTests",
            [
                "Wire", "Identity", "Proofs", "StrictJSON", "Waiting",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ] + crypto),
        tests(
            "SilentFirstTests",
            [
                "SilentFirst", "SilentCore", "Identity", "Explain", "TokenCache", "LegacyCaches", "Wire", "StrictJSON",
                "Sandbox", "Waiting", "silent-first-example", .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "MailClient", dependencies: ["SilentFirst", "Identity"],
            path: "Tests/MailClient/Sources/MailClient", swiftSettings: strict),
        .testTarget(
            name: "MailClientTests",
            dependencies: ["MailClient", "SilentFirstTesting", "SilentFirst", "Identity"],
            path: "Tests/MailClient/Tests/MailClientTests", swiftSettings: strict),
        tests("SilentFirstTestingTests", ["SilentFirstTesting", "SilentFirst", "Identity"]),
        tests("TerminalTests", ["Terminal", "Console", "Keys", "Themes", "CNcurses"]),
        tests("AppModelTests", ["AppModel", "Identity", "Keys"]),
        tests("PlainTests", ["Plain", "AppModel", "Identity", "Keys"]),
        tests(
            "ScreensTests",
            ["Screens", "AppModel", "Console", "Explain", "Identity", "Keys", "Terminal", "StrictJSON"]),
        tests("SandboxTests", ["Sandbox", "Waiting"]),
        tests(
            "AgentTests",
            [
                "Agent", "CommandSupport", "Identity", "StrictJSON", "TokenCache", "Waiting",
                logging, .product(name: "NIOEmbedded", package: "swift-nio"),
            ]),
        tests("BrokerTests", ["Broker", "CommandSupport", "Identity", "StrictJSON"]),
        tests(
            "ProgramsTests",
            [
                "Helpers", "Programs", "CommandSupport", "Identity", "SilentCore", "StrictJSON", "Waiting",
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        tests(
            "FoyerTests",
            [
                "foyer-main", "CommandSupport", "Console", "Helpers", "Identity", "TokenCache", "SilentCore",
                "SilentFirst", "StrictJSON", "StrictTOML", "Terminal", "AppModel", "Screens", "Sandbox", "Wire",
                "Waiting",
                argumentParser,
            ]),
    ] + fuzzing,
    swiftLanguageModes: [.v6]
)
