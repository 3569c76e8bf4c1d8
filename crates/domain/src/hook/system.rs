//! The events that only hooks of the whole server receive.

use crate::words::words;

words! {
    /// An event of the whole server. The names are sent.
    pub enum SystemEvent {
        /// A project was made, empty, by an import, as a fork or by a push.
        ProjectCreate = "project_create",
        /// A project was removed.
        ProjectDestroy = "project_destroy",
        /// Something of a project was changed, but for its path.
        ProjectUpdate = "project_update",
        /// A project got another path.
        ProjectRename = "project_rename",
        /// A project was moved to another namespace.
        ProjectTransfer = "project_transfer",
        /// An account was made.
        UserCreate = "user_create",
        /// An account was removed.
        UserDestroy = "user_destroy",
        /// An account got another user name.
        UserRename = "user_rename",
        /// A user who is blocked or banned tried to sign in.
        UserFailedLogin = "user_failed_login",
        /// An SSH key or deploy key was added.
        KeyCreate = "key_create",
        /// An SSH key or deploy key was removed.
        KeyDestroy = "key_destroy",
        /// A group was made.
        GroupCreate = "group_create",
        /// A group was removed.
        GroupDestroy = "group_destroy",
        /// A group got another path.
        GroupRename = "group_rename",
        /// A user became a member of a project.
        UserAddToTeam = "user_add_to_team",
        /// A membership of a project was changed.
        UserUpdateForTeam = "user_update_for_team",
        /// A membership of a project ended.
        UserRemoveFromTeam = "user_remove_from_team",
        /// A user became a member of a group.
        UserAddToGroup = "user_add_to_group",
        /// A membership of a group was changed.
        UserUpdateForGroup = "user_update_for_group",
        /// A membership of a group ended.
        UserRemoveFromGroup = "user_remove_from_group",
    }
}
