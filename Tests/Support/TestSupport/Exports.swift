// Tests that use the support need these as well.
@_exported public import Testing
@_exported public import TurnoutClient
@_exported public import TurnoutTestKit
