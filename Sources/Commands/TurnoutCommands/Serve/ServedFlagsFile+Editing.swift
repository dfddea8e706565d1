#if Server
    package import TurnoutEngine
    package import TurnoutServer

    extension ServedFlagsFile {
        package func proposal(
            _ edits: [FlagsFileEdit], in environment: String, for users: [User]
        ) throws -> FlagsFileProposal {
            throw FlagsFileProblem("editing is not there yet")
        }

        package func write(_ proposal: FlagsFileProposal) throws { throw FlagsFileProblem("editing is not there yet") }
    }
#endif
