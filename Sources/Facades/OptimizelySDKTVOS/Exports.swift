// A module of the original, which programs import; the implementation is in OptimizelySDKCore.
@_exported public import OptimizelySDKCore
