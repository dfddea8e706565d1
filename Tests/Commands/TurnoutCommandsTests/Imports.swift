// What the tests of this module use.
@_exported import Foundation
@_exported import TestProcesses
@_exported import TestSupport
@_exported import TurnoutCommandIO
@_exported import TurnoutCommands
@_exported import TurnoutReports
