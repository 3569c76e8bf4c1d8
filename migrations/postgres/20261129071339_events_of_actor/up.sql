-- The newest events of a kind of one user, such as their pushes.
CREATE INDEX events_actor_kind ON events (actor_id, kind, created_at);
