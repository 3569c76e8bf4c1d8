DROP TABLE email_confirmations;
