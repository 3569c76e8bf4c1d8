DROP INDEX user_details_created_by;
ALTER TABLE user_details DROP COLUMN last_sign_in_ip;
ALTER TABLE user_details DROP COLUMN current_sign_in_ip;
ALTER TABLE user_details DROP COLUMN created_by_id;
ALTER TABLE user_details DROP COLUMN theme_id;
ALTER TABLE user_details DROP COLUMN note;
ALTER TABLE user_details DROP COLUMN commit_email;
