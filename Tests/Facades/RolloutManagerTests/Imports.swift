// What the tests of this module use.
@_exported import Foundation
@_exported import RolloutManager
@_exported import TestSupport
