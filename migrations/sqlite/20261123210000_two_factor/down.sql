DROP TABLE two_factor_graces;
DROP TABLE recovery_codes;
DROP TABLE two_factors;
