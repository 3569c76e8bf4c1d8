UPDATE settings
SET name = 'send_user_confirmation_email',
    value = CASE WHEN value = '"off"' THEN 'false' ELSE 'true' END
WHERE name = 'email_confirmation_setting';
