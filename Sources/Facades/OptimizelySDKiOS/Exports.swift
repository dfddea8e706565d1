// The name that programs import; everything is in the module that it stands for.
@_exported public import OptimizelySDKCore
