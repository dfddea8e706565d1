import Testing
import TurnoutFlags

@Suite struct RandomProjectTests {
    @Test func theSameSeedMakesTheSameProject() {
        #expect(RandomProject.project(seed: 7) == RandomProject.project(seed: 7))
        #expect(RandomProject.project(seed: 7) != RandomProject.project(seed: 8))
    }
}
