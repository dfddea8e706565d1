// The module name that programs import; the implementation is in OptimizelySDKCore.
@_exported public import OptimizelySDKCore
