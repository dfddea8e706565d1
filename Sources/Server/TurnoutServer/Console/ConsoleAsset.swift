import TurnoutReports

/// A file that pages load. Its name has a hash of its content, so browsers keep it until it changes.
struct ConsoleAsset: Sendable {
    static let style = ConsoleAsset(
        "style", "css", "text/css; charset=utf-8", Array(PageStyle.text.utf8) + PackageResources.console_css)
    static let script = ConsoleAsset("script", "js", "text/javascript; charset=utf-8", PackageResources.console_js)
    static let icon = ConsoleAsset("icon", "svg", "image/svg+xml", PackageResources.icon_svg)

    let name: String
    let response: ServerResponse
    var path: String { Console.path + "assets/" + name }

    private init(_ name: String, _ ending: String, _ type: String, _ content: [UInt8]) {
        let hash = content.withUnsafeBytes { EntityTag.of($0) }.filter { $0 != "\"" }.prefix(12)
        self.name = "\(name)-\(hash).\(ending)"
        response = ServerResponse(
            200,
            headers: [
                "Content-Type": type, "Cache-Control": "public, max-age=31536000, immutable",
                "X-Content-Type-Options": "nosniff",
            ], body: .shared(SharedBody(content)))
    }

    /// Answers a request for a file; a page from before the last update may ask for one that is gone.
    static func response(named name: String) -> ServerResponse {
        [style, script, icon].first { $0.name == name }?.response ?? .text(404, "no such file\n")
    }
}
