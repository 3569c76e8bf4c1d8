DROP INDEX events_actor_kind;
