//! Access tokens (specification 3, Impersonation tokens; reference: users-groups-auth-settings, sections 12.1 and 23.2).

mod impersonation;
mod personal;
