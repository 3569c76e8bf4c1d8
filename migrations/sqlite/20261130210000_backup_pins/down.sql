DROP TABLE backup_pins;
