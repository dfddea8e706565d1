// The names of the constants are those of the original.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The member of a user profile that has the user's id.
public let OPTLYDatafileKeysUserProfileServiceUserId = "user_id"
/// The member of a user profile that has the assignments, by experiment id.
public let OPTLYDatafileKeysUserProfileServiceExperimentBucketMap = "experiment_bucket_map"
/// The member of an assignment that has the variation's id.
public let OPTLYDatafileKeysUserProfileServiceVariationId = "variation_id"
