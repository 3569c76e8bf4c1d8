DROP TABLE user_preferences;
DROP TABLE user_follows;
