/// The checks that `turnout init --ci` prints.
@Suite struct TemplateForCITests {
    private func template(_ system: String) async -> String {
        await RunTool.output(of: ["init", "--ci", system]).output
    }

    @Test(arguments: ["github", "gitlab"]) func allEnvironmentsAreCompared(system: String) async {
        let text = await template(system)
        #expect(text.contains("for datafile in datafiles/*.json; do") && !text.contains("production"))
        #expect(text.contains(#"impact "$base/$datafile" "$datafile""#))
    }

    /// Workflows of pull requests from forks may not comment.
    @Test func theReportIsInTheSummaryAndIsACommentOnlyWhereThatIsAllowed() async throws {
        let text = await template("github")
        let steps = text.components(separatedBy: "      - ")
        let report = try #require(steps.firstIndex { $0.contains(#"cat report.md >> "$GITHUB_STEP_SUMMARY""#) })
        let comment = try #require(steps.firstIndex { $0.contains("gh pr comment") })
        #expect(comment == report + 1)
        #expect(steps[comment].contains("head.repo.full_name == github.repository"))
        #expect(steps[comment].contains("always()") && !steps[report].contains("GH_TOKEN"))
    }

    /// The commands of the report, run by the shell of the runner with a stand-in for the tool.
    @Test func theReportNamesEachEnvironmentAndKeepsTheExitCode() async throws {
        let directory = TemporaryDirectory()
        let folder = directory.path
        let text = await template("github")
        let script = try #require(
            text.components(separatedBy: "      - run: |\n").last?.components(separatedBy: "\n      #")[0])
        let commands = script.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.map {
            $0.hasPrefix("git worktree")
                ? "mkdir -p $base/datafiles; cp flags.yaml $base; cp datafiles/a.json $base/datafiles" : $0
        }
        for path in ["datafiles", "bin"] {
            try FileManager.default.createDirectory(atPath: folder + "/" + path, withIntermediateDirectories: true)
        }
        for path in ["flags.yaml", "datafiles/a.json", "datafiles/new.json"] {
            try Data().write(to: URL(filePath: folder + "/" + path))
        }
        // The shell writes the stand-in: a file that this process writes is busy while it forks other children.
        let tool = #"#!/bin/sh\necho "$1 $3"\n[ $1 = diff ] || exit 3\n"#
        let preparation = [
            "cd '\(folder)'", "printf '\(tool)' > bin/turnout", "chmod +x bin/turnout",
            "export PATH=$PWD/bin:$PATH GITHUB_STEP_SUMMARY=summary GITHUB_BASE_REF=main",
        ]
        let lines = preparation + ["(", "set -e"] + commands + [")", "echo exit code $?"]
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: folder + "/check.sh"))
        let output = try ChildProcess.output(of: "/bin/bash", [folder + "/check.sh"])
        #expect(output == "exit code 3\n")
        let summary = try String(contentsOfFile: folder + "/summary", encoding: .utf8)
        #expect(summary == "diff flags.yaml\n\n### a\n\nimpact datafiles/a.json\n")
    }
}
