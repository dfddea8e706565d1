// What the tests of this module use.
@_exported import Testing
@_exported import TurnoutClient
