-- Mails, counted by the hour, for the user who has caused them and for the service that sends them, to addresses that need not be
-- users'; 0 stands for mails to users. Neither refers to its row: what was sent stays counted when a project or an account is gone.
CREATE TABLE mail_counts (
    user_id BIGINT NOT NULL,
    service_id BIGINT NOT NULL,
    counted_from TIMESTAMP NOT NULL,
    sent BIGINT NOT NULL,
    dropped BIGINT NOT NULL,
    PRIMARY KEY (user_id, service_id, counted_from)
);
CREATE INDEX mail_counts_service ON mail_counts (service_id, counted_from);
CREATE INDEX mail_counts_age ON mail_counts (counted_from);
-- Addresses that want no more mail of a service, by their digests.
CREATE TABLE service_suppressions (
    service_id BIGINT NOT NULL REFERENCES services (id) ON DELETE CASCADE,
    address_digest TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    PRIMARY KEY (service_id, address_digest)
);
