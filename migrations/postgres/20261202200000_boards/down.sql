DROP TABLE board_lists;
DROP TABLE boards;
