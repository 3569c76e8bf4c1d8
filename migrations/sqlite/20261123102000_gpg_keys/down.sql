DROP TABLE gpg_user_ids;
DROP TABLE gpg_subkeys;
DROP TABLE gpg_keys;
