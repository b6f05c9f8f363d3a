// This file finds the names that people know for the ids in an answer.
#include "cli/commands/shown_names.hpp"

#include "cli/commands/page_reader.hpp"
#include "cli/console/show.hpp"

#include <boost/json/array.hpp>

#include <utility>

namespace svc::cli {
namespace {

/// The number of pages of 100 in which names are looked up; projects with more show ids.
constexpr int most_pages = 10;

void read_names(boost::json::value const& page, std::string_view name_member,
                std::set<std::string, std::less<>>& wanted, names_by_id& into) {
  auto const* const rows = member_of(page, "data");
  if (rows == nullptr || !rows->is_array()) return;
  for (auto const& row : rows->get_array()) {
    auto const id = cell_text(member_of(row, "id"), cell::text, false);
    auto const* const name = member_of(row, name_member);
    if (wanted.erase(id) > 0 && name != nullptr && name->is_string())
      into.emplace(id, std::string(name->get_string()));
  }
}

}  // namespace

names_by_id names_of(context& cx, resource const& r, std::set<std::string, std::less<>> wanted) {
  names_by_id out;
  try {
    page_reader pages(cx, std::string(r.path), {{"limit", "100"}});
    for (int read = 0; !wanted.empty() && read < most_pages; ++read) {
      auto const page = pages.next();
      if (!page) break;
      read_names(object_of(*page), r.name_member, wanted, out);
    }
  } catch (failure const& f) {
    if (f.exit() == exit_code::interrupted || f.exit() == exit_code::deadline) throw;
  }
  return out;
}

void name_ids(context& cx, resource const& r, boost::json::value* ids) {
  auto* const array = ids == nullptr ? nullptr : ids->if_array();
  if (array == nullptr || array->empty()) return;
  std::set<std::string, std::less<>> wanted;
  for (auto const& each : *array) wanted.insert(cell_text(&each, cell::text, false));
  auto const names = names_of(cx, r, std::move(wanted));
  for (auto& each : *array) {
    auto const name = names.find(cell_text(&each, cell::text, false));
    if (name != names.end()) each = name->second;
  }
}

}  // namespace svc::cli
