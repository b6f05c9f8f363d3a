#pragma once

#include "store/sql/change_sql.hpp"
#include "store/sql/sql_text.hpp"

#include <boost/json/array.hpp>

#include <string>
#include <vector>

namespace svc::store {

// The tags of an object as the contract's `Tag[]`, ordered by name. `table` connects objects with tags; its rows `w`
// match `condition`. As everywhere, times are cut to milliseconds.
consteval auto tag_time(auto const& column) {
  return sql("to_char(", column, " AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')");
}
consteval auto tags_of(auto const& table, auto const& condition) {
  return sql(
      "(SELECT coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name, 'color', g.color,"
      " 'createdAt', ",
      tag_time("g.created_at"), ", 'updatedAt', ", tag_time("g.updated_at"), ") ORDER BY g.name, g.id), '[]') FROM ",
      table, " w JOIN tags g ON g.id = w.tag_id WHERE w.", condition, ")");
}

// Locks the tags until COMMIT, so that none is deleted between the lookup and the insertion.
inline constexpr postgres::statement find_tags{"tags_find", R"(
SELECT id FROM tags WHERE project_id = $1 AND id = ANY ($2) ORDER BY id FOR KEY SHARE)"};

/// `known`: the rows of `find_tags`; `sentence`: that of the refusal.
inline result<> check_tags(std::vector<uuid> const& wanted, postgres::rows const& known, std::string sentence) {
  auto wrong = check_known(wanted, known, "/tags/", "/id", "is not a tag of this project");
  if (wrong.empty()) return {};
  return error(errc::validation_failed, std::move(sentence), std::move(wrong));
}

/// Returns the ids for the audit trail.
inline boost::json::array ids_of_tags(std::vector<uuid> const& tags) {
  boost::json::array out;
  for (uuid const tag : tags) out.emplace_back(tag.to_string());
  return out;
}

}  // namespace svc::store
