-- The switch has become a word with more values.
UPDATE settings
SET name = 'email_confirmation_setting',
    value = CASE WHEN value = 'true' THEN '"hard"' ELSE '"off"' END
WHERE name = 'send_user_confirmation_email';
