@Suite struct RoundTripTests {
    @Test func writtenProjectsReadBackEqual() throws {
        for seed in 0..<UInt64(rounds(100, thorough: 500)) {
            let project = RandomProject.project(seed: seed)
            let text = ProjectWriter.node(of: project).json
            do {
                let read = try AuthoredProject.read(json: text)
                guard read != project else { continue }
                Issue.record("seed \(seed): \(difference(project, read))\n\(text)")
            } catch {
                Issue.record("seed \(seed): \(error.all.map { $0.text(in: "x") }.joined(separator: "\n"))\n\(text)")
            }
            break
        }
    }

    @Test func writingIsStable() throws {
        for seed in 0..<50 as Range<UInt64> {
            let text = ProjectWriter.node(of: RandomProject.project(seed: seed)).json
            #expect(ProjectWriter.node(of: try AuthoredProject.read(json: text)).json == text)
        }
    }

    /// The first parts that differ.
    private func difference(_ first: AuthoredProject, _ second: AuthoredProject) -> String {
        for (label, value) in Mirror(reflecting: first).children {
            let other = Mirror(reflecting: second).children.first { $0.label == label }?.value
            let (left, right) = ("\(value)", other.map { "\($0)" } ?? "nothing")
            if left != right { return "\(label ?? ""):\n\(left)\n\(right)" }
        }
        return "no difference"
    }
}
