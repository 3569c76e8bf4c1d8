//! The tables of environments and deployments.

diesel::table! {
    environments (id) {
        id -> BigInt,
        project_id -> BigInt,
        name -> Text,
        slug -> Text,
        tier -> Text,
        state -> Text,
        external_url -> Nullable<Text>,
        description -> Nullable<Text>,
        auto_stop -> Text,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    deployments (id) {
        id -> BigInt,
        project_id -> BigInt,
        iid -> BigInt,
        environment_id -> BigInt,
        #[sql_name = "ref"]
        ref_name -> Text,
        tag -> Bool,
        sha -> Text,
        user_id -> Nullable<BigInt>,
        status -> Text,
        created_at -> Timestamp,
        updated_at -> Timestamp,
        finished_at -> Nullable<Timestamp>,
    }
}

diesel::allow_tables_to_appear_in_same_query!(environments, deployments);
