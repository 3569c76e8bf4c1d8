DROP TABLE badges;
