// swift-tools-version: 6.2
import PackageDescription

/// A module of Turnout. It is built in this package, which so sees its package declarations.
func module(
    _ name: String, in folder: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Turnout/\(folder)/\(name)", resources: resources,
        swiftSettings: [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            .define("SQLite"),
        ])
}

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    targets: [
        module("TurnoutEngine", in: "Core"),
        module("TurnoutFlags", in: "Core", ["TurnoutEngine"]),
        module("LibC", in: "System"),
        module("TurnoutClient", in: "Core", ["LibC", "TurnoutEngine"]),
        module("TurnoutSockets", in: "Adapters", ["LibC", "TurnoutClient"]),
        module("TurnoutMemcached", in: "Adapters", ["TurnoutClient", "TurnoutEngine", "TurnoutSockets"]),
        module(
            "TurnoutRedis", in: "Adapters", ["COpenSSL", "LibC", "TurnoutClient", "TurnoutEngine", "TurnoutSockets"]),
        module("TurnoutReports", in: "Core"),
        module("TurnoutRollouts", in: "Core", ["TurnoutEngine"]),
        module("TurnoutSQLite", in: "Adapters", ["CSQLite", "LibC", "TurnoutClient", "TurnoutEngine"]),
        module("TurnoutStatistics", in: "Core", ["LibC"]),
        module(
            "TurnoutServer", in: "Server",
            [
                "CServer", "LibC", "TurnoutClient", "TurnoutEngine", "TurnoutFlags", "TurnoutReports",
                "TurnoutRollouts", "TurnoutSQLite", "TurnoutStatistics",
            ],
            resources: [
                .embedInCode("HTTP/openapi.yaml"), .embedInCode("Console/Assets/console.css"),
                .embedInCode("Console/Assets/console.js"), .embedInCode("Console/Assets/icon.svg"),
            ]),
        module("TurnoutYAML", in: "Adapters", ["CYAML", "TurnoutEngine", "TurnoutFlags"]),
        .systemLibrary(name: "COpenSSL", path: "Turnout/System/COpenSSL"),
        .systemLibrary(name: "CServer", path: "Turnout/System/CServer"),
        .systemLibrary(name: "CSQLite", path: "Turnout/System/CSQLite"),
        .systemLibrary(name: "CYAML", path: "Turnout/System/CYAML"),
        .target(name: "FuzzDriver"),
        .executableTarget(name: "FuzzDatafile", dependencies: ["FuzzDriver", "TurnoutEngine"]),
        .executableTarget(name: "FuzzConditions", dependencies: ["FuzzDriver", "TurnoutEngine"]),
        .executableTarget(name: "FuzzMemcached", dependencies: ["FuzzDriver", "TurnoutClient", "TurnoutMemcached"]),
        .executableTarget(name: "FuzzProjectJSON", dependencies: ["FuzzDriver", "TurnoutFlags"]),
        .executableTarget(name: "FuzzProjectYAML", dependencies: ["FuzzDriver", "TurnoutFlags", "TurnoutYAML"]),
        .executableTarget(name: "FuzzRedis", dependencies: ["FuzzDriver", "TurnoutRedis"]),
        .executableTarget(name: "FuzzRequest", dependencies: ["FuzzDriver", "TurnoutServer"]),
        .executableTarget(name: "FuzzServer", dependencies: ["FuzzDriver", "TurnoutClient", "TurnoutServer"]),
        .executableTarget(name: "FuzzVersions", dependencies: ["FuzzDriver", "TurnoutEngine"]),
    ],
    swiftLanguageModes: [.v6]
)
