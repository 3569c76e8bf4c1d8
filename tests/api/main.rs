//! Every endpoint over a real socket, resource by resource, on both databases.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what goes wrong here is a failed test"
)]

mod abuse;
mod award_emoji;
mod badge;
mod board;
mod broadcast_message;
mod contribution;
mod custom_attribute;
mod deploy_key;
mod deploy_token;
mod deployment;
mod edge;
mod email;
mod environment;
mod feature_flag;
mod gpg_key;
mod group;
mod hook;
mod issue;
mod keyset;
mod label;
mod lfs;
mod markdown;
mod member;
mod merge_request;
mod milestone;
mod namespace;
mod note;
mod notification;
mod notification_setting;
mod oauth;
mod one_value;
mod project;
mod release;
mod repository;
mod search;
mod service;
mod setting_values;
mod settings;
mod short_search;
mod snippet;
mod ssh_key;
mod statistics;
mod support;
mod template;
mod todo;
mod token;
mod two_factor;
mod upload;
mod user;
mod variable;
mod wiki;

// As the product has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
