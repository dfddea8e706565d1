import Foundation

/// Links of all pages of the repository name a file, and a heading if they have one. Guides say first for whom they
/// are.
@Suite struct GuideTests {
    @Test func linksNameFilesAndHeadings() throws {
        let files = FileManager.default.enumerator(
            at: repository, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        let pages = try #require(files).compactMap { $0 as? URL }.filter { $0.pathExtension == "md" }
        #expect(pages.count > 20)
        for page in pages {
            for line in try Self.lines(of: page) {
                for link in line.components(separatedBy: "](").dropFirst() {
                    let parts = link.prefix { $0 != ")" }.split(separator: "#", omittingEmptySubsequences: false)
                    guard let path = parts.first, !path.contains(":") else { continue }
                    try Self.check(String(path), heading: parts.dropFirst().first, from: page)
                }
            }
        }
    }

    private static func check(_ path: String, heading: Substring?, from page: URL) throws {
        var file = path.isEmpty ? page : page.deletingLastPathComponent().appending(path: path).standardized
        guard FileManager.default.fileExists(atPath: file.path) else {
            Issue.record("\(page.path): there is no \(path)")
            return
        }
        guard let heading else { return }
        if file.hasDirectoryPath || file.pathExtension.isEmpty { file.append(path: "README.md") }
        let headings = try lines(of: file).filter { $0.hasPrefix("#") }.map { line in
            line.drop { $0 == "#" }.dropFirst().lowercased().replacing(" ", with: "-")
                .filter { $0.isLetter || $0.isNumber || "-_".contains($0) }
        }
        #expect(headings.contains(String(heading)), "\(page.path): \(path) has no heading \(heading)")
    }

    /// The lines of a page outside blocks of code.
    private static func lines(of page: URL) throws -> [Substring] {
        var isCode = false
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { line in
            if line.hasPrefix("```") { isCode.toggle() }
            return !isCode
        }
    }

    @Test func guidesSayForWhomTheyAre() throws {
        let guides = repository.appending(path: "Documentation/Guides")
        for name in try FileManager.default.contentsOfDirectory(atPath: guides.path) where name.hasSuffix(".md") {
            let lines = try Self.lines(of: guides.appending(path: name))
            #expect(name == "README.md" || lines.count > 1 && lines[1].hasPrefix("For "), "\(name)")
        }
    }
}
