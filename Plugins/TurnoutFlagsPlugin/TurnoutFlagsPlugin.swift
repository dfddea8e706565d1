import Foundation
import PackagePlugin

/// Generates the struct `Flags` for a target from the datafile among its files.
///
/// The datafile is the one file of the target whose name is `datafile.json`, or ends with `.datafile.json`.
@main struct TurnoutFlagsPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let datafiles = (target.sourceModule?.sourceFiles.map(\.url) ?? []).filter { file in
            file.lastPathComponent == "datafile.json" || file.lastPathComponent.hasSuffix(".datafile.json")
        }
        guard let datafile = datafiles.first, datafiles.count == 1 else {
            let found = datafiles.map(\.lastPathComponent).sorted().joined(separator: ", ")
            Diagnostics.error(
                "The target \(target.name) must have exactly one file datafile.json or *.datafile.json, not "
                    + "excluded in Package.swift; found: \(found.isEmpty ? "none" : found).")
            return []
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "Flags.swift")
        return [
            .buildCommand(
                displayName: "Generating the flags of \(target.name) from \(datafile.lastPathComponent)",
                executable: try context.tool(named: "turnout-generate").url,
                arguments: [datafile.path(percentEncoded: false), output.path(percentEncoded: false)],
                inputFiles: [datafile], outputFiles: [output])
        ]
    }
}
