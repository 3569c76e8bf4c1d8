DROP TABLE sign_in_challenges;
DROP TABLE passkeys;
