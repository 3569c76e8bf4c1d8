//! The tables of repositories.

diesel::table! {
    refs (project_id, name) {
        project_id -> BigInt,
        name -> Text,
        oid -> Text,
    }
}

diesel::table! {
    repository_facts (project_id) {
        project_id -> BigInt,
        commit_count -> BigInt,
        repository_size -> BigInt,
        wiki_size -> BigInt,
        readme_path -> Nullable<Text>,
        languages -> Text,
        updated_at -> Timestamp,
        license_path -> Nullable<Text>,
        license_key -> Nullable<Text>,
        lfs_size -> BigInt,
    }
}

diesel::table! {
    lfs_objects (oid) {
        oid -> Text,
        size -> BigInt,
        created_at -> Timestamp,
        unlinked_at -> Nullable<Timestamp>,
    }
}

diesel::table! {
    lfs_links (project_id, oid) {
        project_id -> BigInt,
        oid -> Text,
        size -> BigInt,
        created_at -> Timestamp,
    }
}

diesel::table! {
    lfs_locks (id) {
        id -> BigInt,
        project_id -> BigInt,
        path -> Text,
        user_id -> BigInt,
        locked_at -> Timestamp,
    }
}

diesel::allow_tables_to_appear_in_same_query!(lfs_objects, lfs_links);

diesel::table! {
    protected_refs (id) {
        id -> BigInt,
        project_id -> BigInt,
        kind -> Text,
        name -> Text,
        created_at -> Timestamp,
        updated_at -> Nullable<Timestamp>,
        allow_force_push -> Bool,
        needs_code_owners -> Bool,
        restricts_deploy_keys -> Bool,
    }
}

diesel::table! {
    protected_ref_entries (id) {
        id -> BigInt,
        protected_ref_id -> BigInt,
        action -> Text,
        access_level -> Nullable<BigInt>,
        user_id -> Nullable<BigInt>,
        group_id -> Nullable<BigInt>,
        deploy_key_id -> Nullable<BigInt>,
    }
}

diesel::table! {
    releases (project_id, tag_name) {
        project_id -> BigInt,
        tag_name -> Text,
        description -> Text,
        created_at -> Timestamp,
        updated_at -> Timestamp,
        name -> Nullable<Text>,
        released_at -> Timestamp,
        author_id -> Nullable<BigInt>,
    }
}

diesel::table! {
    release_links (id) {
        id -> BigInt,
        project_id -> BigInt,
        tag_name -> Text,
        name -> Text,
        url -> Text,
        filepath -> Nullable<Text>,
        link_type -> Text,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    release_milestones (project_id, tag_name, milestone_id) {
        project_id -> BigInt,
        tag_name -> Text,
        milestone_id -> BigInt,
    }
}

diesel::table! {
    commit_comments (id) {
        id -> BigInt,
        project_id -> BigInt,
        sha -> Text,
        author_id -> BigInt,
        note -> Text,
        path -> Nullable<Text>,
        line -> Nullable<BigInt>,
        line_type -> Nullable<Text>,
        created_at -> Timestamp,
    }
}

diesel::table! {
    pipelines (id) {
        id -> BigInt,
        project_id -> BigInt,
        user_id -> Nullable<BigInt>,
        sha -> Text,
        #[sql_name = "ref"]
        ref_name -> Text,
        tag -> Bool,
        status -> Text,
        started_at -> Nullable<Timestamp>,
        finished_at -> Nullable<Timestamp>,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    commit_statuses (id) {
        id -> BigInt,
        pipeline_id -> BigInt,
        author_id -> Nullable<BigInt>,
        name -> Text,
        status -> Text,
        target_url -> Nullable<Text>,
        description -> Nullable<Text>,
        coverage -> Nullable<Text>,
        retried -> Bool,
        started_at -> Nullable<Timestamp>,
        finished_at -> Nullable<Timestamp>,
        created_at -> Timestamp,
    }
}

diesel::table! {
    commit_references (issuable_id, project_id, sha, closes) {
        issuable_id -> BigInt,
        project_id -> BigInt,
        sha -> Text,
        closes -> Bool,
        note_id -> Nullable<BigInt>,
    }
}

diesel::table! {
    former_paths (id) {
        id -> BigInt,
        path_key -> Text,
        namespace_id -> Nullable<BigInt>,
        project_id -> Nullable<BigInt>,
    }
}

diesel::table! {
    deploy_keys (id) {
        id -> BigInt,
        user_id -> Nullable<BigInt>,
        title -> Text,
        key_text -> Text,
        md5 -> Text,
        sha256 -> Text,
        created_at -> Timestamp,
        expires_at -> Nullable<Timestamp>,
    }
}

diesel::table! {
    deploy_keys_projects (project_id, deploy_key_id) {
        project_id -> BigInt,
        deploy_key_id -> BigInt,
        can_push -> Bool,
    }
}

diesel::table! {
    project_mirrors (project_id) {
        project_id -> BigInt,
        enabled -> Bool,
        sealed_url -> Nullable<Text>,
        user_id -> Nullable<BigInt>,
        only_protected_branches -> Bool,
        overwrites_diverged_branches -> Bool,
        branch_regex -> Nullable<Text>,
        trigger_builds -> Bool,
        status -> Text,
        last_error -> Nullable<Text>,
        started_at -> Nullable<Timestamp>,
        ended_at -> Nullable<Timestamp>,
        succeeded_at -> Nullable<Timestamp>,
        failures -> BigInt,
    }
}

diesel::table! {
    project_fetches (project_id, day) {
        project_id -> BigInt,
        day -> Date,
        count -> BigInt,
    }
}

diesel::table! {
    backup_pins (id) {
        id -> Text,
        started_at -> Timestamp,
        lease_until -> Timestamp,
    }
}

diesel::table! {
    server_tasks (id) {
        id -> BigInt,
        kind -> Text,
        requested_at -> Timestamp,
        started_at -> Nullable<Timestamp>,
        ended_at -> Nullable<Timestamp>,
        outcome -> Nullable<Text>,
        summary -> Text,
        findings -> Text,
        size -> Nullable<BigInt>,
    }
}
