//! Users (specification 3, Users).

mod dto;

pub(crate) use dto::UserRefDto;
