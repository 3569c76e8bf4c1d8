-- What a commit came from is asked by its name.
CREATE INDEX merge_requests_merge_commit ON merge_requests (merge_commit_sha);
CREATE INDEX merge_requests_squash_commit ON merge_requests (squash_commit_sha);
