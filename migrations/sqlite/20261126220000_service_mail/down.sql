DROP TABLE service_suppressions;
DROP TABLE mail_counts;
