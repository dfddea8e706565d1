// swift-tools-version: 6.2
import PackageDescription

let turnout = Target.Dependency.product(name: "TurnoutEngine", package: "turnout")

let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "turnout", path: "..")],
    targets: [
        .target(name: "FuzzDriver"),
        .executableTarget(name: "FuzzDatafile", dependencies: ["FuzzDriver", turnout]),
        .executableTarget(name: "FuzzConditions", dependencies: ["FuzzDriver", turnout]),
        .executableTarget(
            name: "FuzzMemcached",
            dependencies: [
                "FuzzDriver", .product(name: "TurnoutClient", package: "turnout"),
                .product(name: "TurnoutMemcached", package: "turnout"),
            ]),
        .executableTarget(name: "FuzzVersions", dependencies: ["FuzzDriver", turnout]),
    ],
    swiftLanguageModes: [.v6]
)
