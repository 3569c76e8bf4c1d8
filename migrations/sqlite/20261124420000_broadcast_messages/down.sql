DROP TABLE broadcast_messages;
