DROP TABLE feature_flag_scopes;
DROP TABLE feature_flag_strategies;
DROP TABLE feature_flag_user_lists;
DROP TABLE feature_flags;
