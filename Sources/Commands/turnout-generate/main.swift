// Writes the Swift code for the flags of a datafile, as `turnout generate swift --datafile … --to …` does. The
// plugin `TurnoutFlagsPlugin` runs this program, because each package with the plugin compiles what it runs.

import LibC
import TurnoutCodeGeneration
import TurnoutCommandIO

StandardStream.reserve()
OutputFile.reportSizeLimit()
guard CommandLine.arguments.count == 3 else {
    StandardStream.error.put("usage: turnout-generate DATAFILE OUTPUT\n")
    exit(2)
}
do throws(CommandError) {
    let schema = try InputFile(CommandLine.arguments[1]).readDatafile(FlagSchema.init(datafile:))
    try OutputFile.write(Array(SwiftFlags(schema, access: .internal).text.utf8), to: CommandLine.arguments[2])
} catch {
    StandardStream.error.put(error.report)
    exit(CommandError.exitCode)
}
