// What the tests of this module use.
@_exported import OptimizelySDKiOS
@_exported import TestSupport
