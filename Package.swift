// swift-tools-version: 6.2
import PackageDescription

// Apple's systems have Foundation loaded anyway, and no libcurl for apps.
let curl = TargetDependencyCondition.when(platforms: [.linux], traits: ["Curl"])

let package = Package(
    name: "turnout",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Optimizely", targets: ["Optimizely"]),
        .library(name: "OptimizelySDKCore", targets: ["OptimizelySDKCore"]),
        .library(name: "OptimizelySDKDatafileManager", targets: ["OptimizelySDKDatafileManager"]),
        .library(name: "OptimizelySDKEventDispatcher", targets: ["OptimizelySDKEventDispatcher"]),
        .library(name: "OptimizelySDKShared", targets: ["OptimizelySDKShared"]),
        .library(name: "OptimizelySDKTVOS", targets: ["OptimizelySDKTVOS"]),
        .library(name: "OptimizelySDKUserProfileService", targets: ["OptimizelySDKUserProfileService"]),
        .library(name: "OptimizelySDKiOS", targets: ["OptimizelySDKiOS"]),
        .library(name: "RolloutManager", targets: ["RolloutManager"]),
        .library(name: "TurnoutCassandra", targets: ["TurnoutCassandra"]),
        .library(name: "TurnoutClient", targets: ["TurnoutClient"]),
        .library(name: "TurnoutConfiguration", targets: ["TurnoutConfiguration"]),
        .library(name: "TurnoutCurl", targets: ["TurnoutCurl"]),
        .library(name: "TurnoutEngine", targets: ["TurnoutEngine"]),
        .library(name: "TurnoutLogging", targets: ["TurnoutLogging"]),
        .library(name: "TurnoutMemcached", targets: ["TurnoutMemcached"]),
        .library(name: "TurnoutMetrics", targets: ["TurnoutMetrics"]),
        .library(name: "TurnoutOpenFeature", targets: ["TurnoutOpenFeature"]),
        .library(name: "TurnoutRedis", targets: ["TurnoutRedis"]),
        .library(name: "TurnoutServiceLifecycle", targets: ["TurnoutServiceLifecycle"]),
        .library(name: "TurnoutSQLite", targets: ["TurnoutSQLite"]),
        .library(name: "TurnoutTestKit", targets: ["TurnoutTestKit"]),
        .library(name: "TurnoutTracing", targets: ["TurnoutTracing"]),
        .library(name: "TurnoutURLSession", targets: ["TurnoutURLSession"]),
        .executable(name: "turnout", targets: ["turnout"]),
        .plugin(name: "TurnoutFlagsPlugin", targets: ["TurnoutFlagsPlugin"]),
    ],
    traits: [
        .trait(name: "Curl", description: "Requests over libcurl, for servers (Linux; needs libcurl)."),
        .trait(
            name: "Server", description: "`turnout serve` (needs GnuTLS, nettle and zlib).", enabledTraits: ["SQLite"]),
        .trait(name: "SQLite", description: "Events, assignments and datafiles in a SQLite file (needs libsqlite3)."),
        .trait(name: "PostgreSQL", description: "Events in PostgreSQL (needs libpq).", enabledTraits: ["Server"]),
        .trait(name: "YAML", description: "Project files in YAML for the command (needs libyaml)."),
        .trait(name: "Configuration", description: "Settings from swift-configuration."),
        .trait(name: "Logging", description: "Log messages to swift-log."),
        .trait(name: "Metrics", description: "Counts to swift-metrics."),
        .trait(name: "OpenFeature", description: "A provider for swift-open-feature."),
        .trait(name: "ServiceLifecycle", description: "The client as a service of swift-service-lifecycle."),
        .trait(name: "Tracing", description: "Spans and span events for swift-distributed-tracing."),
        .default(enabledTraits: ["Curl", "Server", "SQLite", "YAML"]),
    ],
    // Each package is used only behind the trait of an integration: without the trait it is not downloaded
    // (Documentation/Decisions/0015).
    dependencies: [
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.2.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.7.0"),
        // Has no tagged version.
        .package(url: "https://github.com/swift-open-feature/swift-open-feature.git", branch: "main"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
    ],
    targets: [
        // Core: pure Swift. No Foundation, no clock, no input or output.
        .target(
            name: "TurnoutEngine", path: "Sources/Core/TurnoutEngine",
            // Rounding a double refers to libm, which nothing else here links.
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
        // Configurations of weighted variants, the draws of devices, property lists. Pure as well.
        .target(name: "TurnoutRollouts", dependencies: ["TurnoutEngine"], path: "Sources/Core/TurnoutRollouts"),
        // Flags as a team writes them, compiled to datafiles. Pure as well.
        .target(name: "TurnoutFlags", dependencies: ["TurnoutEngine"], path: "Sources/Core/TurnoutFlags"),
        // Swift code for the flags of a datafile. Pure as well.
        .target(
            name: "TurnoutCodeGeneration", dependencies: ["TurnoutEngine"], path: "Sources/Core/TurnoutCodeGeneration"),
        // What an experiment's numbers say: estimates, intervals, tests. Pure as well.
        .target(name: "TurnoutStatistics", dependencies: ["LibC"], path: "Sources/Core/TurnoutStatistics"),
        // Not a product: what people read, as text, Markdown and HTML. Pure as well.
        .target(name: "TurnoutReports", path: "Sources/Core/TurnoutReports"),
        // State, time, storage and network behind protocols. No Foundation either.
        .target(name: "TurnoutClient", dependencies: ["LibC", "TurnoutEngine"], path: "Sources/Core/TurnoutClient"),

        // Adapters: one outside system each.
        .target(
            name: "TurnoutCassandra", dependencies: ["CCassandra", "LibC", "TurnoutClient", "TurnoutEngine"],
            path: "Sources/Adapters/TurnoutCassandra"),
        // An empty module on Apple's systems and without its trait.
        .target(
            name: "TurnoutCurl", dependencies: ["LibC", "TurnoutClient", .target(name: "CCurl", condition: curl)],
            path: "Sources/Adapters/TurnoutCurl"),
        .target(
            name: "TurnoutMemcached", dependencies: ["TurnoutClient", "TurnoutEngine", "TurnoutSockets"],
            path: "Sources/Adapters/TurnoutMemcached"),
        .target(
            name: "TurnoutRedis",
            dependencies: ["COpenSSL", "LibC", "TurnoutClient", "TurnoutEngine", "TurnoutSockets"],
            path: "Sources/Adapters/TurnoutRedis"),
        // Not a product: the connections of the two before this one.
        .target(
            name: "TurnoutSockets", dependencies: ["LibC", "TurnoutClient"], path: "Sources/Adapters/TurnoutSockets"),
        .target(
            name: "TurnoutSQLite", dependencies: ["CSQLite", "LibC", "TurnoutClient", "TurnoutEngine"],
            path: "Sources/Adapters/TurnoutSQLite"),
        // Not a product: project files in YAML.
        .target(
            name: "TurnoutYAML", dependencies: ["CYAML", "TurnoutEngine", "TurnoutFlags"],
            path: "Sources/Adapters/TurnoutYAML"),
        .target(
            name: "TurnoutURLSession", dependencies: ["TurnoutClient"], path: "Sources/Adapters/TurnoutURLSession"),

        // Integrations: one package of the server ecosystem each. Without its trait an integration is an empty module.
        .target(
            name: "TurnoutConfiguration",
            dependencies: [
                "TurnoutClient",
                .product(
                    name: "Configuration", package: "swift-configuration",
                    condition: .when(traits: ["Configuration"])),
            ],
            path: "Sources/Integrations/TurnoutConfiguration"),
        .target(
            name: "TurnoutLogging",
            dependencies: [
                "TurnoutClient",
                .product(name: "Logging", package: "swift-log", condition: .when(traits: ["Logging"])),
            ],
            path: "Sources/Integrations/TurnoutLogging"),
        .target(
            name: "TurnoutMetrics",
            dependencies: [
                "TurnoutClient",
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
            ],
            path: "Sources/Integrations/TurnoutMetrics"),
        .target(
            name: "TurnoutOpenFeature",
            dependencies: [
                "TurnoutClient",
                .product(
                    name: "OpenFeature", package: "swift-open-feature", condition: .when(traits: ["OpenFeature"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
            ],
            path: "Sources/Integrations/TurnoutOpenFeature"),
        .target(
            name: "TurnoutServiceLifecycle",
            dependencies: [
                "TurnoutClient",
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["ServiceLifecycle"])),
            ],
            path: "Sources/Integrations/TurnoutServiceLifecycle"),
        .target(
            name: "TurnoutTracing",
            dependencies: [
                "TurnoutClient",
                .product(
                    name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
            ],
            path: "Sources/Integrations/TurnoutTracing"),

        // Server: `turnout serve`.
        .target(
            name: "TurnoutServer",
            dependencies: [
                "CServer", "LibC", "TurnoutClient", "TurnoutEngine", "TurnoutFlags", "TurnoutReports",
                "TurnoutRollouts", "TurnoutSQLite", "TurnoutStatistics",
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            path: "Sources/Server/TurnoutServer",
            resources: [
                .embedInCode("HTTP/openapi.yaml"), .embedInCode("Console/Assets/console.css"),
                .embedInCode("Console/Assets/console.js"), .embedInCode("Console/Assets/icon.svg"),
            ]),

        // Facades: old names over the client.
        .target(
            name: "Optimizely",
            dependencies: [
                "TurnoutClient", "TurnoutEngine", "TurnoutURLSession", .target(name: "TurnoutCurl", condition: curl),
                .target(name: "TurnoutSQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Sources/Facades/Optimizely"),
        // The older one, which shares the network and the files with the other.
        .target(
            name: "OptimizelySDKCore",
            dependencies: [
                "Optimizely", "TurnoutClient", "TurnoutEngine",
                .target(name: "TurnoutSQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Sources/Facades/OptimizelySDKCore"),
        // The other modules of the older one.
        .target(
            name: "OptimizelySDKDatafileManager", dependencies: ["OptimizelySDKCore"],
            path: "Sources/Facades/OptimizelySDKDatafileManager"),
        .target(
            name: "OptimizelySDKEventDispatcher", dependencies: ["OptimizelySDKCore"],
            path: "Sources/Facades/OptimizelySDKEventDispatcher"),
        .target(
            name: "OptimizelySDKShared", dependencies: ["OptimizelySDKCore"],
            path: "Sources/Facades/OptimizelySDKShared"),
        .target(
            name: "OptimizelySDKTVOS", dependencies: ["OptimizelySDKCore"],
            path: "Sources/Facades/OptimizelySDKTVOS"),
        .target(
            name: "OptimizelySDKUserProfileService", dependencies: ["OptimizelySDKCore"],
            path: "Sources/Facades/OptimizelySDKUserProfileService"),
        .target(
            name: "OptimizelySDKiOS", dependencies: ["OptimizelySDKCore"], path: "Sources/Facades/OptimizelySDKiOS"),
        .target(
            name: "RolloutManager",
            dependencies: [
                "TurnoutClient", "TurnoutEngine", "TurnoutRollouts", "TurnoutURLSession",
                .target(name: "TurnoutCurl", condition: curl),
                .target(name: "TurnoutSQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Sources/Facades/RolloutManager"),

        // System: module maps, and the C library under one name.
        .target(name: "LibC", path: "Sources/System/LibC"),
        // Declarations only: the library is loaded when it is needed.
        .systemLibrary(name: "CCassandra", path: "Sources/System/CCassandra"),
        .systemLibrary(
            name: "CCurl", path: "Sources/System/CCurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        // Declarations only: the library is loaded when it is needed.
        .systemLibrary(name: "COpenSSL", path: "Sources/System/COpenSSL"),
        .systemLibrary(
            name: "CPostgreSQL", path: "Sources/System/CPostgreSQL",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(
            name: "CServer", path: "Sources/System/CServer",
            providers: [
                .apt(["libgnutls28-dev", "nettle-dev", "zlib1g-dev"]), .brew(["gnutls", "nettle", "zlib"]),
            ]),
        .systemLibrary(
            name: "CSQLite", path: "Sources/System/CSQLite",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(
            name: "CYAML", path: "Sources/System/CYAML",
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),

        // For our tests and for users': contract checks, scripted clients, clocks that are set by hand.
        .target(
            name: "TurnoutTestKit", dependencies: ["TurnoutClient", "TurnoutContracts", "TurnoutEngine"],
            path: "Sources/TestKit/TurnoutTestKit"),
        // Not a product: contract checks that also run outside of tests, in the command.
        .target(
            name: "TurnoutContracts", dependencies: ["TurnoutClient", "TurnoutEngine"],
            path: "Sources/TestKit/TurnoutContracts"),

        // Commands: the only place that knows everything.
        .target(
            name: "TurnoutCommands",
            dependencies: [
                "LibC", "TurnoutCassandra", "TurnoutClient", "TurnoutCodeGeneration", "TurnoutCommandIO",
                "TurnoutContracts", "TurnoutEngine", "TurnoutFlags", "TurnoutMemcached", "TurnoutRedis",
                "TurnoutReports", "TurnoutRollouts", "TurnoutStatistics",
                .target(name: "TurnoutCurl", condition: curl),
                .target(name: "TurnoutServer", condition: .when(traits: ["Server"])),
                .target(name: "TurnoutSQLite", condition: .when(traits: ["SQLite"])),
                .target(name: "TurnoutYAML", condition: .when(traits: ["YAML"])),
            ],
            path: "Sources/Commands/TurnoutCommands",
            resources: [.embedInCode("Projects/flags.schema.json")]),
        .executableTarget(
            name: "turnout", dependencies: ["LibC", "TurnoutCommands"], path: "Sources/Commands/turnout"),
        // Not a product: files as the commands read and write them, and their errors.
        .target(
            name: "TurnoutCommandIO", dependencies: ["LibC", "TurnoutEngine", "TurnoutReports"],
            path: "Sources/Commands/TurnoutCommandIO"),
        // Not a product: `turnout generate swift` alone. Each build with the plugin compiles it for the build machine.
        .executableTarget(
            name: "turnout-generate", dependencies: ["LibC", "TurnoutCodeGeneration", "TurnoutCommandIO"],
            path: "Sources/Commands/turnout-generate"),
        // Runs `turnout-generate` in the builds of targets that have a datafile.
        .plugin(name: "TurnoutFlagsPlugin", capability: .buildTool, dependencies: ["turnout-generate"]),

        // Tests mirror Sources, folder for folder. Those of small modules are in a folder of a neighbour's tests.
        .testTarget(
            name: "TurnoutEngineTests", dependencies: ["TestSupport", "TurnoutEngine", "TurnoutRollouts"],
            path: "Tests/Core/TurnoutEngineTests", exclude: ["Fixtures"]),
        .testTarget(
            name: "TurnoutFlagsTests",
            dependencies: ["TestSupport", "TurnoutCodeGeneration", "TurnoutEngine", "TurnoutFlags"],
            path: "Tests/Core/TurnoutFlagsTests", exclude: ["Fixtures"]),
        .testTarget(
            name: "TurnoutStatisticsTests", dependencies: ["TestSupport", "TurnoutStatistics"],
            path: "Tests/Core/TurnoutStatisticsTests", exclude: ["Fixtures"]),
        .testTarget(
            name: "TurnoutYAMLTests", dependencies: ["TestSupport", "TurnoutEngine", "TurnoutFlags", "TurnoutYAML"],
            path: "Tests/Adapters/TurnoutYAMLTests"),
        .testTarget(
            name: "TurnoutServerTests",
            dependencies: [
                "ServerTestSupport", "TestProcesses", "TestSupport", "TurnoutClient", "TurnoutEngine", "TurnoutFlags",
                "TurnoutReports", "TurnoutRollouts", "TurnoutServer", "TurnoutTestKit",
            ],
            path: "Tests/Server/TurnoutServerTests", exclude: ["Fixtures"]),
        .testTarget(
            name: "TurnoutClientTests",
            dependencies: ["TestProcesses", "TestSupport", "TurnoutClient", "TurnoutEngine", "TurnoutTestKit"],
            path: "Tests/Core/TurnoutClientTests"),
        .testTarget(
            name: "TurnoutCassandraTests",
            dependencies: [
                "TestProcesses", "TestSupport", "TurnoutCassandra", "TurnoutClient", "TurnoutCommandIO",
                "TurnoutCommands", "TurnoutEngine", "TurnoutTestKit",
            ],
            path: "Tests/Adapters/TurnoutCassandraTests", exclude: ["cql_server"]),
        .testTarget(
            name: "TurnoutMemcachedTests",
            dependencies: [
                "TestProcesses", "TestSupport", "TurnoutClient", "TurnoutEngine", "TurnoutMemcached", "TurnoutSockets",
                "TurnoutTestKit",
            ],
            path: "Tests/Adapters/TurnoutMemcachedTests"),
        .testTarget(
            name: "TurnoutRedisTests",
            dependencies: [
                "Optimizely", "TestProcesses", "TestSupport", "TurnoutClient", "TurnoutCommands", "TurnoutEngine",
                "TurnoutRedis", "TurnoutServer", "TurnoutSockets", "TurnoutTestKit",
            ],
            path: "Tests/Adapters/TurnoutRedisTests"),
        .testTarget(
            name: "TurnoutSQLiteTests",
            dependencies: ["TestSupport", "TurnoutClient", "TurnoutSQLite", "TurnoutTestKit"],
            path: "Tests/Adapters/TurnoutSQLiteTests"),
        // What every adapter of a network has to do.
        .testTarget(
            name: "TransportTests",
            dependencies: [
                "LoopbackServer", "TestProcesses", "TestSupport", "TurnoutClient", "TurnoutCurl", "TurnoutTestKit",
                "TurnoutURLSession",
            ],
            path: "Tests/Adapters/TransportTests"),
        .testTarget(
            name: "OptimizelyTests",
            dependencies: [
                "Optimizely", "TestSupport", "TurnoutClient", "TurnoutEngine", "TurnoutTestKit",
                .target(name: "TurnoutSQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Tests/Facades/OptimizelyTests"),
        .testTarget(
            name: "OptimizelySDKCoreTests",
            dependencies: [
                "Optimizely", "OptimizelySDKCore", "OptimizelySDKDatafileManager", "OptimizelySDKEventDispatcher",
                "OptimizelySDKShared", "OptimizelySDKTVOS", "OptimizelySDKUserProfileService", "OptimizelySDKiOS",
                "TestProcesses", "TestSupport", "TurnoutClient", "TurnoutEngine",
                .target(name: "TurnoutSQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Tests/Facades/OptimizelySDKCoreTests"),
        .testTarget(
            name: "RolloutManagerTests",
            dependencies: [
                "RolloutManager", "TestSupport", "TurnoutClient", "TurnoutEngine", "TurnoutRollouts",
                "TurnoutTestKit",
                .target(name: "TurnoutSQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Tests/Facades/RolloutManagerTests"),
        .testTarget(
            name: "TurnoutCommandsTests",
            dependencies: [
                "LoopbackServer", "ServerTestSupport", "TestProcesses", "TestSupport", "TurnoutClient",
                "TurnoutCodeGeneration", "TurnoutCommandIO", "TurnoutCommands", "TurnoutEngine", "TurnoutFlags",
                "TurnoutMemcached", "TurnoutRedis", "TurnoutReports", "TurnoutRollouts", "TurnoutSQLite",
                "TurnoutServer",
            ],
            path: "Tests/Commands/TurnoutCommandsTests"),
        // Everything together, over sockets and with files: clients on this side, a server on the other.
        .testTarget(
            name: "WireTests",
            dependencies: [
                "LoopbackServer", "Optimizely", "TestSupport", "TurnoutClient", "TurnoutCurl", "TurnoutEngine",
                "TurnoutSQLite", "TurnoutTestKit", "TurnoutURLSession",
            ],
            path: "Tests/Wire"),
        // A server with every kind of client, over sockets and with files.
        .testTarget(
            name: "ServerWireTests",
            dependencies: [
                "LoopbackServer", "Optimizely", "OptimizelySDKCore", "OptimizelySDKiOS", "RolloutManager",
                "ServerTestSupport", "TestProcesses", "TestSupport", "TurnoutClient", "TurnoutCommandIO",
                "TurnoutCommands", "TurnoutCurl", "TurnoutEngine", "TurnoutFlags", "TurnoutServer",
                "TurnoutTestKit", "TurnoutURLSession", "turnout",
                .target(name: "TurnoutSQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Tests/Server/ServerWireTests"),
        // The code of the README and the guides. `Scripts/docs` sees to it that it is the same.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "LoopbackServer", "Optimizely", "OptimizelySDKCore", "OptimizelySDKiOS", "RolloutManager",
                "TestSupport",
                "TurnoutClient", "TurnoutCurl", "TurnoutEngine", "TurnoutTestKit",
                .target(name: "TurnoutSQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Tests/Documentation"),
        .testTarget(
            name: "Specification", dependencies: ["Optimizely", "TestSupport", "TurnoutClient", "TurnoutEngine"],
            path: "Tests/Specification",
            exclude: ["Cases"]),

        // What several test targets use.
        .target(
            name: "TestSupport",
            dependencies: ["LibC", "ParallelTestLimit", "TestProcesses", "TurnoutClient", "TurnoutTestKit"],
            path: "Tests/Support/TestSupport"),
        // What the adapters of a server have to do, and bodies of events.
        .target(
            name: "ServerTestSupport", dependencies: ["TestSupport", "TurnoutClient", "TurnoutServer"],
            path: "Tests/Support/ServerTestSupport"),
        .target(name: "ParallelTestLimit", path: "Tests/Support/ParallelTestLimit", publicHeadersPath: "."),
        .target(name: "TestProcesses", dependencies: ["TurnoutClient"], path: "Tests/Support/TestProcesses"),
        .target(
            name: "LoopbackServer", dependencies: ["LibC", "TestProcesses"], path: "Tests/Support/LoopbackServer",
            exclude: ["loopback_server"]),

        // A program that `Scripts/prove` runs, kills and starves: see kill-rounds, disk-faults and soak-wire. Here,
        // because only modules of this package can replace the facade's network.
        .executableTarget(
            name: "durability",
            dependencies: [
                "LibC",
                "LoopbackServer", "Optimizely", "OptimizelySDKiOS", "TurnoutClient", "TurnoutCurl", "TurnoutURLSession",
                .target(name: "TurnoutSQLite", condition: .when(traits: ["SQLite"])),
            ],
            path: "Tests/Support/Durability"),
        // A program that appends events to a server's log until it is killed: see `Scripts/prove event-log`.
        .executableTarget(
            name: "event-log",
            dependencies: ["LibC", "ServerTestSupport", "TurnoutClient", "TurnoutSQLite", "TurnoutServer"],
            path: "Tests/Support/EventLogLoad"),
        .executableTarget(
            name: "early-end", dependencies: ["TurnoutClient", .target(name: "TurnoutCurl", condition: curl)],
            path: "Tests/Support/EarlyEnd"),
    ],
    swiftLanguageModes: [.v6]
)

// `Scripts/prove` runs the tests of some modules in other builds, which leave out the other tests.
if let modules = Context.environment["TURNOUT_TEST_MODULES"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !modules.contains($0.name) }
}

for target in package.targets where ![.plugin, .system].contains(target.type) {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
        .treatWarning("DeprecatedDeclaration", as: .warning),
    ]
}
