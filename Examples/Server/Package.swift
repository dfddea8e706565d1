// swift-tools-version: 6.2
import PackageDescription

// In a package of your own the dependency is the address of the repository:
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
