#pragma once

/// A test's tags as the contract's `Tag[]`, by name; `t` is the test. Milliseconds are cut off, as everywhere.
#define SVC_TIME(column) "to_char(" column " AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
#define SVC_TAGS_OF_TEST \
  "(SELECT coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name, 'color', g.color,"           \
  " 'createdAt', " SVC_TIME("g.created_at") ", 'updatedAt', " SVC_TIME("g.updated_at") ") ORDER BY g.name," \
  " g.id), '[]') FROM test_tags tt JOIN tags g ON g.id = tt.tag_id WHERE tt.test_id = t.id)"
