#include "store/runs/quota_sql.hpp"

#include "store/sql/settled.hpp"

namespace svc::store {

namespace {

constexpr postgres::statement look_usage{"quota_look",
                                         "SELECT used, bytes FROM project_usage WHERE project_id = $1 AND kind = $2"};

constexpr postgres::statement assert_usage{"quota_assert", "SELECT assert_quota($1, $2, $3, $4)"};

}  // namespace

postgres::query growth::look() const {
  return {look_usage, postgres::parameters(project, of.name)};
}

result<> growth::fits(postgres::rows const& looked) const {
  amount held;
  if (!looked.empty()) held = {looked.front().integer(0), looked.front().integer(1)};
  switch (excess_of(held, more, most)) {
    case excess::count:
      return of.too_many;
    case excess::bytes:
      return of.too_large;
    case excess::none:
      break;
  }
  return {};
}

/// What does not grow may stand beyond its quota.
postgres::query growth::assertion() const {
  return {assert_usage, postgres::parameters(project, of.name, more.count > 0 ? most.count : std::int64_t(0),
                                             more.bytes > 0 ? most.bytes : std::int64_t(0))};
}

error growth::refusal(postgres::server_error const& why) const {
  std::string const kind(of.name);
  if (why.constraint == kind + "_quota") return {of.too_many};
  if (why.constraint == kind + "_bytes_quota") return {of.too_large};
  reject(why);
}

}  // namespace svc::store
