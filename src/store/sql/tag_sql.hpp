#pragma once

// Tags that something wears, as the contract's `Tag[]`, by name. `worn` is the table that says so, `whose` its
// condition. As everywhere, times are cut to milliseconds.
#define SVC_TAG_TIME(column) "to_char(" column " AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
#define SVC_TAGS_WORN(worn, whose) \
  "(SELECT coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name, 'color', g.color,"  \
  " 'createdAt', " SVC_TAG_TIME("g.created_at") ", 'updatedAt', " SVC_TAG_TIME("g.updated_at") ")" \
  " ORDER BY g.name, g.id), '[]') FROM " worn " w JOIN tags g ON g.id = w.tag_id WHERE w." whose ")"
