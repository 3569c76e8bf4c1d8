DROP INDEX users_pending;
