// What the tests of this module use.
@_exported import TestSupport
@_exported import TurnoutFlags
@_exported import TurnoutYAML
