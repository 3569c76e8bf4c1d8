//! The tables of issues, and of what merge requests share with them.

diesel::table! {
    iid_counters (id) {
        id -> BigInt,
        project_id -> Nullable<BigInt>,
        namespace_id -> Nullable<BigInt>,
        kind -> Text,
        last_iid -> BigInt,
    }
}

diesel::table! {
    labels (id) {
        id -> BigInt,
        project_id -> Nullable<BigInt>,
        namespace_id -> Nullable<BigInt>,
        name -> Text,
        color -> Text,
        description -> Nullable<Text>,
        created_at -> Timestamp,
        updated_at -> Timestamp,
        archived -> Bool,
    }
}

diesel::table! {
    label_priorities (project_id, label_id) {
        project_id -> BigInt,
        label_id -> BigInt,
        priority -> BigInt,
    }
}

diesel::table! {
    label_subscriptions (label_id, user_id) {
        label_id -> BigInt,
        user_id -> BigInt,
    }
}

diesel::table! {
    boards (id) {
        id -> BigInt,
        project_id -> Nullable<BigInt>,
        namespace_id -> Nullable<BigInt>,
        name -> Text,
        hides_open -> Bool,
        hides_closed -> Bool,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    board_lists (id) {
        id -> BigInt,
        board_id -> BigInt,
        label_id -> BigInt,
        position -> BigInt,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    issue_positions (issuable_id) {
        issuable_id -> BigInt,
        position -> BigInt,
    }
}

diesel::table! {
    milestones (id) {
        id -> BigInt,
        project_id -> Nullable<BigInt>,
        namespace_id -> Nullable<BigInt>,
        iid -> BigInt,
        title -> Text,
        description -> Text,
        state -> Text,
        start_date -> Nullable<Date>,
        due_date -> Nullable<Date>,
        closed_at -> Nullable<Timestamp>,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    issuables (id) {
        id -> BigInt,
        kind -> Text,
        project_id -> BigInt,
        iid -> BigInt,
        author_id -> BigInt,
        title -> Text,
        description -> Nullable<Text>,
        state -> Text,
        closed_at -> Nullable<Timestamp>,
        closed_by_id -> Nullable<BigInt>,
        milestone_id -> Nullable<BigInt>,
        confidential -> Bool,
        discussion_locked -> Nullable<Bool>,
        due_date -> Nullable<Date>,
        time_estimate -> BigInt,
        total_time_spent -> BigInt,
        user_notes_count -> BigInt,
        upvotes -> BigInt,
        downvotes -> BigInt,
        moved_to_id -> Nullable<BigInt>,
        user_agent -> Nullable<Text>,
        ip_address -> Nullable<Text>,
        created_at -> Timestamp,
        updated_at -> Timestamp,
        deleted_at -> Nullable<Timestamp>,
        due_reminder -> Nullable<Date>,
        weight -> Nullable<BigInt>,
        issue_type -> Text,
    }
}

diesel::table! {
    issuable_counts (project_id, kind, state, confidential) {
        project_id -> BigInt,
        kind -> Text,
        state -> Text,
        confidential -> Bool,
        count -> BigInt,
    }
}

diesel::table! {
    label_counts (label_id, project_id, kind, state, confidential) {
        label_id -> BigInt,
        project_id -> BigInt,
        kind -> Text,
        state -> Text,
        confidential -> Bool,
        count -> BigInt,
    }
}

diesel::table! {
    issuable_labels (issuable_id, label_id) {
        issuable_id -> BigInt,
        label_id -> BigInt,
    }
}

diesel::table! {
    issuable_assignees (issuable_id, user_id) {
        issuable_id -> BigInt,
        user_id -> BigInt,
        position -> BigInt,
    }
}

diesel::table! {
    issuable_subscriptions (issuable_id, user_id) {
        issuable_id -> BigInt,
        user_id -> BigInt,
        subscribed -> Bool,
    }
}

diesel::table! {
    notes (id) {
        id -> BigInt,
        issuable_id -> BigInt,
        author_id -> BigInt,
        discussion_id -> Text,
        kind -> Text,
        system -> Bool,
        body -> Text,
        refers_to_id -> Nullable<BigInt>,
        created_at -> Timestamp,
        updated_at -> Timestamp,
        position -> Nullable<Text>,
        resolved_at -> Nullable<Timestamp>,
        resolved_by_id -> Nullable<BigInt>,
    }
}

diesel::table! {
    mentions (id) {
        id -> BigInt,
        issuable_id -> BigInt,
        note_id -> Nullable<BigInt>,
        user_id -> BigInt,
    }
}

diesel::table! {
    award_emoji (id) {
        id -> BigInt,
        issuable_id -> BigInt,
        note_id -> Nullable<BigInt>,
        user_id -> BigInt,
        name -> Text,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    timelogs (id) {
        id -> BigInt,
        issuable_id -> BigInt,
        user_id -> Nullable<BigInt>,
        seconds -> BigInt,
        created_at -> Timestamp,
    }
}

diesel::table! {
    resource_events (id) {
        id -> BigInt,
        issuable_id -> BigInt,
        user_id -> Nullable<BigInt>,
        kind -> Text,
        action -> Text,
        label_id -> Nullable<BigInt>,
        milestone_id -> Nullable<BigInt>,
        created_at -> Timestamp,
    }
}

diesel::table! {
    todos (id) {
        id -> BigInt,
        user_id -> BigInt,
        author_id -> BigInt,
        issuable_id -> BigInt,
        note_id -> Nullable<BigInt>,
        action -> Text,
        done -> Bool,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}

diesel::table! {
    issue_links (id) {
        id -> BigInt,
        source_id -> BigInt,
        target_id -> BigInt,
        kind -> Text,
        created_at -> Timestamp,
        updated_at -> Timestamp,
    }
}
