DELETE FROM tokens WHERE kind = 'bot';
ALTER TABLE tokens DROP CONSTRAINT tokens_kind_check;
ALTER TABLE tokens ADD CONSTRAINT tokens_kind_check CHECK (kind IN ('personal', 'impersonation', 'oauth'));
