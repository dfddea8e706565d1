// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that neither users of the engine nor its tests ever build it.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "turnout", path: "..")],
    targets: [
        .target(name: "CAllocationCounter"),
        .executableTarget(
            name: "EngineBenchmarks",
            dependencies: [
                "CAllocationCounter", .product(name: "Optimizely", package: "turnout"),
                .product(name: "TurnoutClient", package: "turnout"),
                .product(name: "TurnoutEngine", package: "turnout"),
                .product(name: "TurnoutMemcached", package: "turnout"),
                .product(name: "TurnoutRedis", package: "turnout"),
                .product(name: "TurnoutSQLite", package: "turnout"),
            ]),
        // What an application adds to its size.
        .executableTarget(name: "FacadeProbe", dependencies: [.product(name: "Optimizely", package: "turnout")]),
        // Separate, because linked libraries take most of a program's start time.
        .executableTarget(
            name: "StartProbe",
            dependencies: [
                .product(name: "TurnoutClient", package: "turnout"),
                .product(name: "TurnoutCurl", package: "turnout"),
                .product(name: "TurnoutSQLite", package: "turnout"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.name != "CAllocationCounter" {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
