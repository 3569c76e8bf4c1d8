DROP TABLE oauth_device_grants;
