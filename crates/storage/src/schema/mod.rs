//! The tables, as both databases have them (`migrations/`). A test holds these files and both migrations together.

mod accounts;
mod environment;
mod feature_flag;
mod integrations;
mod issues;
mod mail;
mod merging;
mod oauth;
mod repositories;
mod snippet;
mod webhooks;

pub(crate) use accounts::*;
pub(crate) use environment::*;
pub(crate) use feature_flag::*;
pub(crate) use integrations::*;
pub(crate) use issues::*;
pub(crate) use mail::*;
pub(crate) use merging::*;
pub(crate) use oauth::*;
pub(crate) use repositories::*;
pub(crate) use snippet::*;
pub(crate) use webhooks::*;

diesel::table! {
    users (id) {
        id -> BigInt,
        username -> Text,
        username_key -> Text,
        name -> Text,
        email -> Text,
        unconfirmed_email -> Nullable<Text>,
        password_digest -> Nullable<Text>,
        password_expired -> Bool,
        state -> Text,
        ghost -> Bool,
        bot -> Bool,
        admin -> Bool,
        external -> Bool,
        private_profile -> Bool,
        can_create_group -> Bool,
        projects_limit -> BigInt,
        bio -> Nullable<Text>,
        location -> Nullable<Text>,
        organization -> Nullable<Text>,
        public_email -> Text,
        messenger -> Text,
        professional_network -> Text,
        microblog -> Text,
        website_url -> Text,
        avatar -> Nullable<Text>,
        confirmed_at -> Nullable<Timestamp>,
        last_sign_in_at -> Nullable<Timestamp>,
        current_sign_in_at -> Nullable<Timestamp>,
        last_activity_on -> Nullable<Date>,
        deleting_at -> Nullable<Timestamp>,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    user_details (user_id) {
        user_id -> BigInt,
        job_title -> Text,
        pronouns -> Nullable<Text>,
        commit_email -> Nullable<Text>,
        note -> Nullable<Text>,
        theme_id -> BigInt,
        created_by_id -> Nullable<BigInt>,
        current_sign_in_ip -> Nullable<Text>,
        last_sign_in_ip -> Nullable<Text>,
    }
}

diesel::table! {
    user_statuses (user_id) {
        user_id -> BigInt,
        emoji -> Text,
        message -> Text,
    }
}

diesel::table! {
    identities (id) {
        id -> BigInt,
        user_id -> BigInt,
        provider -> Text,
        extern_uid -> Text,
        extern_uid_key -> Text,
        issuer -> Nullable<Text>,
    }
}

diesel::table! {
    tokens (id) {
        id -> BigInt,
        user_id -> BigInt,
        kind -> Text,
        name -> Text,
        description -> Nullable<Text>,
        scopes -> Text,
        digest -> Text,
        sealed_secret -> Nullable<Text>,
        revoked -> Bool,
        replaced_by_id -> Nullable<BigInt>,
        expires_at -> Nullable<Date>,
        last_used_at -> Nullable<Timestamp>,
        created_at -> Timestamp,
        updated_at -> Timestamp,
        grant_id -> Nullable<BigInt>,
        ends_at -> Nullable<Timestamp>,
    }
}

diesel::table! {
    sessions (id) {
        id -> BigInt,
        user_id -> BigInt,
        digest -> Text,
        address -> Nullable<Text>,
        user_agent -> Nullable<Text>,
        remembered -> Bool,
        awaits_second_factor -> Bool,
        created_at -> Timestamp,
        last_used_at -> Timestamp,
        expires_at -> Timestamp,
        impersonator_session_id -> Nullable<BigInt>,
        admin_mode_until -> Nullable<Timestamp>,
    }
}

diesel::table! {
    feed_tokens (user_id) {
        user_id -> BigInt,
        digest -> Text,
        sealed_token -> Text,
    }
}

diesel::table! {
    namespaces (id) {
        id -> BigInt,
        kind -> Text,
        parent_id -> Nullable<BigInt>,
        owner_id -> Nullable<BigInt>,
        name -> Text,
        path -> Text,
        full_path -> Text,
        full_name -> Text,
        visibility -> Text,
        description -> Text,
        avatar -> Nullable<Text>,
        lfs_enabled -> Bool,
        request_access_enabled -> Bool,
        share_with_group_lock -> Bool,
        project_creation_level -> Text,
        subgroup_creation_level -> Text,
        require_two_factor_authentication -> Bool,
        two_factor_grace_period -> BigInt,
        deleting_at -> Nullable<Timestamp>,
        created_at -> Timestamp,
        updated_at -> Timestamp,
        default_branch_protection -> Nullable<Text>,
        settings -> Text,
        ip_ranges -> Nullable<Text>,
    }
}

diesel::table! {
    namespace_closure (ancestor_id, descendant_id) {
        ancestor_id -> BigInt,
        descendant_id -> BigInt,
        depth -> BigInt,
    }
}

diesel::table! {
    projects (id) {
        id -> BigInt,
        namespace_id -> BigInt,
        creator_id -> Nullable<BigInt>,
        name -> Text,
        path -> Text,
        description -> Nullable<Text>,
        visibility -> Text,
        archived -> Bool,
        default_branch -> Nullable<Text>,
        unborn_branch -> Text,
        avatar -> Nullable<Text>,
        ci_config_path -> Nullable<Text>,
        merge_method -> Text,
        forked_from_id -> Nullable<BigInt>,
        sealed_import_url -> Nullable<Text>,
        imported_from -> Nullable<Text>,
        import_status -> Text,
        import_error -> Nullable<Text>,
        sealed_runners_token -> Text,
        star_count -> BigInt,
        forks_count -> BigInt,
        open_issues_count -> BigInt,
        last_activity_at -> Timestamp,
        deleting_at -> Nullable<Timestamp>,
        created_at -> Timestamp,
        updated_at -> Timestamp,
        pushes_since_packing -> BigInt,
    }
}

diesel::table! {
    project_features (project_id) {
        project_id -> BigInt,
        shared_runners_enabled -> Bool,
        public_jobs -> Bool,
        lfs_enabled -> Bool,
        request_access_enabled -> Bool,
        resolve_outdated_diff_discussions -> Bool,
        only_allow_merge_if_pipeline_succeeds -> Bool,
        only_allow_merge_if_all_discussions_are_resolved -> Bool,
        printing_merge_request_link_enabled -> Bool,
        settings -> Text,
        issues_access_level -> Text,
        merge_requests_access_level -> Text,
        repository_access_level -> Text,
        snippets_access_level -> Text,
    }
}

diesel::table! {
    project_tags (project_id, name) {
        project_id -> BigInt,
        name -> Text,
    }
}

diesel::table! {
    full_paths (path_key) {
        path_key -> Text,
        namespace_id -> Nullable<BigInt>,
        project_id -> Nullable<BigInt>,
    }
}

diesel::table! {
    members (id) {
        id -> BigInt,
        namespace_id -> Nullable<BigInt>,
        project_id -> Nullable<BigInt>,
        user_id -> BigInt,
        access_level -> BigInt,
        expires_at -> Nullable<Date>,
        created_at -> Timestamp,
        updated_at -> Timestamp,
        created_by_id -> Nullable<BigInt>,
    }
}

diesel::table! {
    shares (id) {
        id -> BigInt,
        namespace_id -> Nullable<BigInt>,
        project_id -> Nullable<BigInt>,
        group_id -> BigInt,
        access_level -> BigInt,
        expires_at -> Nullable<Date>,
        created_at -> Timestamp,
    }
}

diesel::table! {
    stars (project_id, user_id) {
        project_id -> BigInt,
        user_id -> BigInt,
        created_at -> Timestamp,
    }
}

diesel::table! {
    custom_attributes (id) {
        id -> BigInt,
        user_id -> Nullable<BigInt>,
        namespace_id -> Nullable<BigInt>,
        project_id -> Nullable<BigInt>,
        key -> Text,
        value -> Text,
    }
}

diesel::table! {
    upload_totals (project_id, uploader_id) {
        project_id -> BigInt,
        uploader_id -> BigInt,
        size -> BigInt,
    }
}

diesel::table! {
    uploads (id) {
        id -> BigInt,
        project_id -> BigInt,
        uploader_id -> Nullable<BigInt>,
        secret -> Text,
        file_name -> Text,
        size -> BigInt,
        created_at -> Timestamp,
    }
}

diesel::table! {
    settings (name) {
        name -> Text,
        value -> Text,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    events (id) {
        id -> BigInt,
        kind -> Text,
        actor_id -> Nullable<BigInt>,
        user_id -> Nullable<BigInt>,
        namespace_id -> Nullable<BigInt>,
        project_id -> Nullable<BigInt>,
        detail -> Nullable<Text>,
        relayed -> Bool,
        created_at -> Timestamp,
        issuable_id -> Nullable<BigInt>,
        note_id -> Nullable<BigInt>,
        milestone_id -> Nullable<BigInt>,
    }
}

diesel::table! {
    jobs (id) {
        id -> BigInt,
        kind -> Text,
        payload -> Text,
        dedup_key -> Nullable<Text>,
        run_at -> Timestamp,
        claims -> BigInt,
        lease_until -> Nullable<Timestamp>,
        dead -> Bool,
        last_error -> Nullable<Text>,
        created_at -> Timestamp,
        queue -> Text,
        user_id -> Nullable<BigInt>,
        failures -> BigInt,
        deaths -> BigInt,
        ready -> Bool,
        again_at -> Nullable<Timestamp>,
    }
}

diesel::joinable!(project_features -> projects (project_id));
diesel::joinable!(projects -> namespaces (namespace_id));
diesel::joinable!(deploy_keys_projects -> deploy_keys (deploy_key_id));
diesel::joinable!(board_lists -> labels (label_id));
diesel::joinable!(board_lists -> boards (board_id));
diesel::joinable!(issuable_labels -> labels (label_id));
diesel::joinable!(issuable_assignees -> users (user_id));
diesel::joinable!(stars -> users (user_id));
diesel::joinable!(notes -> issuables (issuable_id));
diesel::joinable!(merge_requests -> issuables (issuable_id));
diesel::joinable!(hook_deliveries -> hook_events (event_id));
diesel::joinable!(hook_options -> hooks (hook_id));
diesel::joinable!(todos -> issuables (issuable_id));
diesel::joinable!(protected_ref_entries -> protected_refs (protected_ref_id));

diesel::table! {
    access_revision (id) {
        id -> BigInt,
        value -> BigInt,
    }
}

diesel::allow_tables_to_appear_in_same_query!(projects, repository_facts);
diesel::allow_tables_to_appear_in_same_query!(issuables, merge_request_verdicts);
diesel::allow_tables_to_appear_in_same_query!(issuables, merge_request_versions);
diesel::allow_tables_to_appear_in_same_query!(issuables, approval_rules, approval_rule_users);
diesel::allow_tables_to_appear_in_same_query!(protected_refs, protected_ref_entries);
diesel::allow_tables_to_appear_in_same_query!(projects, approval_rules);
diesel::allow_tables_to_appear_in_same_query!(projects, protected_refs);
diesel::allow_tables_to_appear_in_same_query!(projects, snippets);
diesel::allow_tables_to_appear_in_same_query!(merge_requests, merge_request_code_owners);
diesel::allow_tables_to_appear_in_same_query!(board_lists, boards);
diesel::allow_tables_to_appear_in_same_query!(board_lists, labels);
diesel::allow_tables_to_appear_in_same_query!(board_lists, namespace_closure);
diesel::allow_tables_to_appear_in_same_query!(boards, labels);
diesel::allow_tables_to_appear_in_same_query!(boards, namespace_closure);

// Tables that share queries with others. Each pair costs the compiler something: a table that is only read alone is left out.
diesel::allow_tables_to_appear_in_same_query!(
    access_revision,
    award_emoji,
    bots,
    commit_references,
    custom_attributes,
    deploy_keys,
    deploy_keys_projects,
    emails,
    events,
    former_paths,
    full_paths,
    gpg_keys,
    gpg_subkeys,
    hook_deliveries,
    hook_events,
    hook_options,
    hooks,
    identities,
    issuable_assignees,
    issuable_labels,
    issuable_subscriptions,
    issuables,
    issue_links,
    label_priorities,
    label_subscriptions,
    labels,
    members,
    mentions,
    merge_request_closes,
    merge_request_closing_names,
    merge_request_reviewers,
    merge_requests,
    milestones,
    namespace_closure,
    namespaces,
    notes,
    notification_settings,
    project_features,
    projects,
    refs,
    release_milestones,
    releases,
    sessions,
    shares,
    ssh_keys,
    stars,
    todos,
    tokens,
    two_factors,
    passkeys,
    sign_in_challenges,
    user_details,
    user_follows,
    users,
);
