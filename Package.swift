// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "turnout",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "TurnoutEngine", targets: ["TurnoutEngine"]),
        .executable(name: "turnout", targets: ["turnout"]),
    ],
    targets: [
        // Core: pure Swift. No Foundation, no clock, no input or output.
        .target(
            name: "TurnoutEngine", path: "Sources/Core/TurnoutEngine",
            // Rounding a double refers to libm, which nothing else here links.
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),

        // Commands: the only place that knows everything.
        .target(name: "TurnoutCommands", dependencies: ["TurnoutEngine"], path: "Sources/Commands/TurnoutCommands"),
        .executableTarget(name: "turnout", dependencies: ["TurnoutCommands"], path: "Sources/Commands/turnout"),

        // Tests mirror Sources, folder for folder.
        .testTarget(
            name: "TurnoutEngineTests", dependencies: ["TurnoutEngine"], path: "Tests/Core/TurnoutEngineTests"),
        .testTarget(
            name: "TurnoutCommandsTests", dependencies: ["TurnoutCommands", "TurnoutEngine"],
            path: "Tests/Commands/TurnoutCommandsTests"),
        .testTarget(
            name: "Specification", dependencies: ["TurnoutEngine"], path: "Tests/Specification",
            exclude: ["Cases"]),
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
