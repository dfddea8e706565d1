// swift-tools-version: 6.2
import PackageDescription

// In your own package, the dependency is the repository's URL:
//   .package(url: "<the address of this repository>", branch: "main")
let package = Package(
    name: "shop-server",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "turnout", path: "../..")],
    targets: [
        .executableTarget(
            name: "shop-server", dependencies: [.product(name: "TurnoutClient", package: "turnout")],
            path: "Sources/ShopServer")
    ],
    swiftLanguageModes: [.v6]
)
