#include "app/migration_plan.hpp"

#include "svc/core/hash.hpp"
#include "svc/core/numbers.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace svc::embedded {
/// File name and content, made by CMake from schema/postgres.
extern std::span<std::pair<std::string_view, std::string_view> const> const migrations;
}  // namespace svc::embedded

namespace svc::app {
namespace {

std::string label(int version, std::string_view name) {
  auto digits = std::to_string(version);
  return "V" + std::string(digits.size() < 3 ? 3 - digits.size() : 0, '0') + digits + " " + std::string(name);
}

std::vector<migration> all_embedded() {
  std::vector<migration> out;
  for (auto const& [name, sql] : embedded::migrations) out.push_back(make_migration(name, sql));
  std::sort(out.begin(), out.end(), [](auto const& a, auto const& b) { return a.version < b.version; });
  return out;
}

}  // namespace

migration make_migration(std::string_view file_name, std::string_view sql) {
  auto const split = file_name.find("__");
  int version = 0;
  bool good = file_name.starts_with('V') && file_name.ends_with(".sql") && split != std::string_view::npos;
  if (good) {
    version = parse_number<int>(file_name.substr(1, split - 1)).value_or(0);
    good = version > 0 && file_name.size() > split + 2 + 4;
  }
  if (!good) throw std::logic_error("migration " + std::string(file_name) + ": not V<digits>__<name>.sql");
  auto const name = file_name.substr(split + 2, file_name.size() - split - 2 - 4);
  return {version, std::string(name), sql, to_hex(sha256(sql))};
}

std::vector<migration> const& embedded_migrations() {
  static std::vector<migration> const all = all_embedded();
  return all;
}

migration_plan plan_migrations(std::span<migration const> ours, std::span<applied_migration const> applied) {
  migration_plan plan;
  int newest = 0;
  for (auto const& there : applied) {
    newest = std::max(newest, there.version);
    auto const mine =
        std::find_if(ours.begin(), ours.end(), [&](migration const& m) { return m.version == there.version; });
    if (mine == ours.end())
      plan.problems.push_back(label(there.version, there.name) +
                              " was applied, but this svcd does not know it: the "
                              "database is newer than the program");
    else if (mine->checksum != there.checksum)
      plan.problems.push_back(label(mine->version, mine->name) + " has changed since it was applied");
  }
  for (auto const& mine : ours) {
    bool const done = std::any_of(applied.begin(), applied.end(),
                                  [&](applied_migration const& a) { return a.version == mine.version; });
    if (done) continue;
    if (mine.version < newest)
      plan.problems.push_back(label(mine.version, mine.name) + " was never applied, but a later one was");
    else
      plan.pending.push_back(&mine);
  }
  return plan;
}

}  // namespace svc::app
