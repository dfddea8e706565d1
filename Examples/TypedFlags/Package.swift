// swift-tools-version: 6.2
import PackageDescription

// In your own package, the dependency is the repository's URL:
//   .package(url: "<the address of this repository>", branch: "main")
let package = Package(
    name: "typed-flags",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "turnout", path: "../..")],
    targets: [
        .executableTarget(
            name: "typed-flags", dependencies: [.product(name: "TurnoutClient", package: "turnout")],
            path: "Sources/TypedFlags",
            plugins: [.plugin(name: "TurnoutFlagsPlugin", package: "turnout")])
    ],
    swiftLanguageModes: [.v6]
)
