import Foundation

/// A measured case of a file in `Cases`, or in the folder named by `TURNOUT_SPECIFICATION`.
struct SpecificationCase: Sendable, CustomTestStringConvertible {
    let group: String
    let content: JSONValue
    /// The file, the group, and the case's name or number.
    let testDescription: String

    /// The cases whose description contains the text in `TURNOUT_CASE`; all without it. None if a file cannot be read.
    static let all: [SpecificationCase] = {
        let text = ProcessInfo.processInfo.environment["TURNOUT_CASE"] ?? ""
        return ((try? load()) ?? []).filter { text.isEmpty || $0.testDescription.contains(text) }
    }()

    /// The cases for the Optimizely interface, which has no calls for buckets and for the keys of cached predictions.
    /// In a short run without `TURNOUT_CASE`, one of eight: the engine runs all.
    static let ofTheInterface: [SpecificationCase] = {
        let cases = all.filter { !["bucketing", "cmabCache"].contains($0.group) }
        let isNamed = ProcessInfo.processInfo.environment["TURNOUT_CASE"] != nil
        return stride(from: 0, to: cases.count, by: isNamed ? 1 : rounds(8, thorough: 1)).map { cases[$0] }
    }()

    /// Reads all files, in the order of their names.
    static func load() throws -> [SpecificationCase] {
        let named = ProcessInfo.processInfo.environment["TURNOUT_SPECIFICATION"].map { URL(fileURLWithPath: $0) }
        let folder = named ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Cases")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .flatMap { try cases(in: $0) }
    }

    private static func cases(in file: URL) throws -> [SpecificationCase] {
        let document = try JSONValue(parsing: [UInt8](Data(contentsOf: file)))
        return (document["groups"]?.members ?? [:]).sorted { $0.key < $1.key }.flatMap { name, group in
            contents(of: group).enumerated().map { number, content in
                let title = content["name"]?.text ?? "case \(number)"
                return SpecificationCase(
                    group: name, content: content, testDescription: "\(file.lastPathComponent), \(name), \(title)")
            }
        }
    }

    /// The cases of a group. One group shares a base datafile between its cases.
    private static func contents(of group: JSONValue) -> [JSONValue] {
        guard let base = group["base"] else { return group.elements ?? [] }
        return (group["cases"]?.elements ?? []).map { .object(($0.members ?? [:]).merging(["base": base]) { $1 }) }
    }
}
