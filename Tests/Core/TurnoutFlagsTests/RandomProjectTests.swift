import Testing
import TurnoutFlags

@Suite struct RandomProjectTests {
    @Test func theSameSeedMakesTheSameProject() {
        #expect(RandomProject.project(seed: 7) == RandomProject.project(seed: 7))
        #expect(RandomProject.project(seed: 7) != RandomProject.project(seed: 8))
    }

    @Test func everyKeyOfTheFileOccurs() {
        var keys: Set<String> = []
        for seed in 0..<200 as Range<UInt64> {
            collectKeys(of: ProjectWriter.node(of: RandomProject.project(seed: seed)), into: &keys)
        }
        let expected =
            ProjectPart.allCases.flatMap(\.keys) + AttributeTest.Match.spellings
            // An audience by key, and `condition` where it is an attribute, have shorter forms.
            + ConditionWord.names.filter { $0 != "audience" }
        #expect(expected.filter { !keys.contains($0) } == [])
    }

    private func collectKeys(of node: Node, into keys: inout Set<String>) {
        switch node.content {
        case .scalar: break
        case .sequence(let elements): for element in elements { collectKeys(of: element, into: &keys) }
        case .mapping(let members):
            for member in members {
                keys.insert(member.key.text)
                collectKeys(of: member.value, into: &keys)
            }
        }
    }
}
