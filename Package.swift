// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "turnout",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Optimizely", targets: ["Optimizely"]),
        .library(name: "OptimizelySDKCore", targets: ["OptimizelySDKCore"]),
        .library(name: "OptimizelySDKiOS", targets: ["OptimizelySDKiOS"]),
        .library(name: "TurnoutClient", targets: ["TurnoutClient"]),
        .library(name: "TurnoutEngine", targets: ["TurnoutEngine"]),
        .library(name: "TurnoutSQLite", targets: ["TurnoutSQLite"]),
        .library(name: "TurnoutTestKit", targets: ["TurnoutTestKit"]),
        .library(name: "TurnoutURLSession", targets: ["TurnoutURLSession"]),
        .executable(name: "turnout", targets: ["turnout"]),
    ],
    traits: [
        .trait(name: "SQLite", description: "Events, assignments and datafiles in a SQLite file (needs libsqlite3)."),
        .default(enabledTraits: ["SQLite"]),
    ],
    targets: [
        // Core: pure Swift. No Foundation, no clock, no input or output.
        .target(
            name: "TurnoutEngine", path: "Sources/Core/TurnoutEngine",
            // Rounding a double refers to libm, which nothing else here links.
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
        // State, time, storage and network behind protocols. No Foundation either.
        .target(name: "TurnoutClient", dependencies: ["TurnoutEngine"], path: "Sources/Core/TurnoutClient"),

        // Adapters: one outside system each. Without its trait an adapter is an empty module.
        .target(
            name: "TurnoutSQLite",
            dependencies: [
                "TurnoutClient", "TurnoutEngine", .target(name: "CSQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Sources/Adapters/TurnoutSQLite"),
        .target(
            name: "TurnoutURLSession", dependencies: ["TurnoutClient"], path: "Sources/Adapters/TurnoutURLSession"),

        // Facades: old names over the client.
        .target(
            name: "Optimizely",
            dependencies: [
                "TurnoutClient", "TurnoutEngine", "TurnoutURLSession",
                .target(name: "TurnoutSQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Sources/Facades/Optimizely"),
        // The older one, which shares the network and the files with the other.
        .target(
            name: "OptimizelySDKCore", dependencies: ["Optimizely", "TurnoutClient", "TurnoutEngine"],
            path: "Sources/Facades/OptimizelySDKCore"),
        .target(
            name: "OptimizelySDKiOS", dependencies: ["OptimizelySDKCore"], path: "Sources/Facades/OptimizelySDKiOS"),

        // System: module maps only.
        .systemLibrary(
            name: "CSQLite", path: "Sources/System/CSQLite",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),

        // For our tests and for users': contract checks, scripted clients, clocks that are set by hand.
        .target(
            name: "TurnoutTestKit", dependencies: ["TurnoutClient", "TurnoutEngine"],
            path: "Sources/TestKit/TurnoutTestKit"),

        // Commands: the only place that knows everything.
        .target(name: "TurnoutCommands", dependencies: ["TurnoutEngine"], path: "Sources/Commands/TurnoutCommands"),
        .executableTarget(name: "turnout", dependencies: ["TurnoutCommands"], path: "Sources/Commands/turnout"),

        // Tests mirror Sources, folder for folder.
        .testTarget(
            name: "TurnoutEngineTests", dependencies: ["TurnoutEngine"], path: "Tests/Core/TurnoutEngineTests"),
        .testTarget(
            name: "TurnoutClientTests", dependencies: ["TurnoutClient", "TurnoutEngine", "TurnoutTestKit"],
            path: "Tests/Core/TurnoutClientTests"),
        .testTarget(
            name: "TurnoutSQLiteTests", dependencies: ["TurnoutClient", "TurnoutSQLite", "TurnoutTestKit"],
            path: "Tests/Adapters/TurnoutSQLiteTests"),
        .testTarget(
            name: "TurnoutURLSessionTests",
            dependencies: ["LoopbackServer", "TurnoutClient", "TurnoutTestKit", "TurnoutURLSession"],
            path: "Tests/Adapters/TurnoutURLSessionTests"),
        .testTarget(
            name: "OptimizelyTests",
            dependencies: [
                "Optimizely", "TurnoutClient", "TurnoutEngine", "TurnoutTestKit",
                .target(name: "TurnoutSQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Tests/Facades/OptimizelyTests"),
        .testTarget(
            name: "OptimizelySDKCoreTests",
            dependencies: [
                "Optimizely", "OptimizelySDKCore", "OptimizelySDKiOS", "TurnoutClient", "TurnoutEngine",
                .target(name: "TurnoutSQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Tests/Facades/OptimizelySDKCoreTests"),
        .testTarget(
            name: "TurnoutCommandsTests", dependencies: ["TurnoutCommands", "TurnoutEngine"],
            path: "Tests/Commands/TurnoutCommandsTests"),
        // Everything together, over sockets: clients on this side, a server on the other.
        .testTarget(
            name: "WireTests",
            dependencies: [
                "LoopbackServer", "Optimizely", "OptimizelySDKCore", "OptimizelySDKiOS", "TurnoutClient",
                "TurnoutEngine",
                "TurnoutTestKit", "TurnoutURLSession",
            ],
            path: "Tests/Wire"),
        // The code of the README and the articles. `Scripts/docs` sees to it that it is the same.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Optimizely", "OptimizelySDKCore", "OptimizelySDKiOS", "TurnoutClient", "TurnoutEngine",
                "TurnoutTestKit", "TurnoutURLSession",
                .target(name: "TurnoutSQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Tests/Documentation"),
        .testTarget(
            name: "Specification", dependencies: ["Optimizely", "TurnoutClient", "TurnoutEngine"],
            path: "Tests/Specification",
            exclude: ["Cases"]),

        // What several test targets use.
        .target(name: "LoopbackServer", path: "Tests/Support/LoopbackServer", exclude: ["loopback_server"]),

        // A program that scripts run, kill and starve: see `Scripts/kill-rounds`, `Scripts/disk-faults` and
        // `Scripts/soak-wire`. Here, because nobody else may replace the facade's network.
        .executableTarget(
            name: "durability",
            dependencies: [
                "LoopbackServer", "Optimizely", "TurnoutClient", "TurnoutURLSession",
                .target(name: "TurnoutSQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Tests/Support/Durability"),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
        .treatWarning("DeprecatedDeclaration", as: .warning),
    ]
}
