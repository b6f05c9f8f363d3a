#include "app/admin/actions.hpp"
#include "app/maintenance/instance_view.hpp"

namespace svc::app::admin {

/// Lists the instances that either store knows: an instance that reaches only one of them exists too.
task<answer> list_instances(session& s, arguments) {
  auto known = known_of(co_await s.instances.read(s.patience()));
  auto const listed = co_await s.instances_in_redis();
  boost::json::array rows;
  for (auto const& instance : merged(std::move(known), listed.value_or(std::vector<instance_identity>{}))) {
    auto row = to_json(instance);
    if (!listed) row["redis"] = nullptr;  // not known
    rows.push_back(std::move(row));
  }
  co_return boost::json::value(std::move(rows));
}

}  // namespace svc::app::admin
