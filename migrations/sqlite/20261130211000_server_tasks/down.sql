DROP TABLE server_tasks;
