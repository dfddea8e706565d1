// swift-tools-version: 6.2
import PackageDescription

// Prints the requests of a client, for `Scripts/prove compare-events`. A separate package, so that users of the library
// never build it.
let package = Package(
    name: "event-printer", platforms: [.macOS(.v15)], dependencies: [.package(name: "turnout", path: "../../..")],
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
        .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
