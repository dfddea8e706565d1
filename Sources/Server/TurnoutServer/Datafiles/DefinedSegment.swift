package import TurnoutClient
package import TurnoutFlags

/// A segment that the project of a served datafile defines.
package struct DefinedSegment: Sendable, Equatable {
    package let name: String
    /// The project, whose events count.
    package let projectID: String
    /// The users in it, compared by their bytes.
    package let members: Set<ByteKey>
    /// A rule that puts further users in it; nil for none.
    package let rule: SegmentRule?

    /// Creates the segment of a project.
    package init(_ segment: AuthoredSegment, of projectID: String) {
        name = segment.key
        self.projectID = projectID
        members = Set(segment.members.map(ByteKey.init))
        rule = segment.rule
    }
}
