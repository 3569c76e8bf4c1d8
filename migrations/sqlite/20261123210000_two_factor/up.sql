-- Second factors. The secret is sealed; without enabled_at it is not confirmed yet and counts for nothing. last_step is the
-- time step of the last code that was accepted: each is good for one sign-in.
CREATE TABLE two_factors (
    user_id BIGINT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    secret TEXT NOT NULL,
    last_step BIGINT,
    enabled_at TIMESTAMP,
    created_at TIMESTAMP NOT NULL
);

-- What is left of the codes for users who have lost their device. They are known by their digests only.
CREATE TABLE recovery_codes (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    digest TEXT NOT NULL,
    PRIMARY KEY (user_id, digest)
);

-- Users who have to set up a second factor, and when they were first asked to.
CREATE TABLE two_factor_graces (
    user_id BIGINT PRIMARY KEY NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    began_at TIMESTAMP NOT NULL
);
