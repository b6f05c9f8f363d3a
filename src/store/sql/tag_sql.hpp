#pragma once

#include "store/sql/change_sql.hpp"

#include <boost/json/array.hpp>

#include <string>
#include <vector>

// Tags that something wears, as the contract's `Tag[]`, by name. `worn` is the table that says so, `whose` its
// condition. As everywhere, times are cut to milliseconds.
#define SVC_TAG_TIME(column) "to_char(" column " AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
#define SVC_TAGS_WORN(worn, whose) \
  "(SELECT coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name, 'color', g.color,"  \
  " 'createdAt', " SVC_TAG_TIME("g.created_at") ", 'updatedAt', " SVC_TAG_TIME("g.updated_at") ")" \
  " ORDER BY g.name, g.id), '[]') FROM " worn " w JOIN tags g ON g.id = w.tag_id WHERE w." whose ")"

namespace svc::store {

// Locks the tags until COMMIT, so that none is deleted between the lookup and the insertion.
inline constexpr postgres::statement find_tags{"tags_find", R"(
SELECT id FROM tags WHERE project_id = $1 AND id = ANY ($2) ORDER BY id FOR KEY SHARE)"};

/// `known`: what `find_tags` found; `sentence` of the refusal.
inline result<> check_tags(std::vector<uuid> const& wanted, postgres::rows const& known, std::string sentence) {
  auto wrong = check_known(wanted, known, "/tags/", "/id", "is not a tag of this project");
  if (wrong.empty()) return {};
  return error(errc::validation_failed, std::move(sentence), std::move(wrong));
}

/// For the audit trail.
inline boost::json::array ids_of_tags(std::vector<uuid> const& tags) {
  boost::json::array out;
  for (uuid const tag : tags) out.emplace_back(tag.to_string());
  return out;
}

}  // namespace svc::store
