-- The address in commits that pages and the API make, a remark of administrators, a theme, and who made the account.
ALTER TABLE user_details ADD COLUMN commit_email TEXT;
ALTER TABLE user_details ADD COLUMN note TEXT;
ALTER TABLE user_details ADD COLUMN theme_id BIGINT NOT NULL DEFAULT 1;
ALTER TABLE user_details ADD COLUMN created_by_id BIGINT REFERENCES users (id) ON DELETE SET NULL;
-- The addresses of the latest sign-in and of the one before it.
ALTER TABLE user_details ADD COLUMN current_sign_in_ip TEXT;
ALTER TABLE user_details ADD COLUMN last_sign_in_ip TEXT;
CREATE INDEX user_details_created_by ON user_details (created_by_id) WHERE created_by_id IS NOT NULL;
