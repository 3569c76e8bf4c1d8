//! The tables of feature flags.

diesel::table! {
    feature_flags (id) {
        id -> BigInt,
        project_id -> BigInt,
        name -> Text,
        description -> Nullable<Text>,
        active -> Bool,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    feature_flag_user_lists (id) {
        id -> BigInt,
        project_id -> BigInt,
        iid -> BigInt,
        name -> Text,
        user_xids -> Text,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    feature_flag_strategies (id) {
        id -> BigInt,
        feature_flag_id -> BigInt,
        name -> Text,
        parameters -> Text,
        user_list_id -> Nullable<BigInt>,
    }
}

diesel::table! {
    feature_flag_scopes (id) {
        id -> BigInt,
        strategy_id -> BigInt,
        environment_scope -> Text,
    }
}
