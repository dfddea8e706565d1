// swift-tools-version: 6.2
import PackageDescription

// Prints what a client would send; Scripts/compare-events compares it. A package of its own, so that no user of the
// library ever builds it.
let package = Package(
    name: "event-printer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "turnout", path: "../../..")],
    targets: [
        .executableTarget(
            name: "event-printer",
            dependencies: [
                .product(name: "Optimizely", package: "turnout"), .product(name: "TurnoutClient", package: "turnout"),
            ],
            path: "Sources/EventPrinter")
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
