#include "app/admin/actions.hpp"
#include "app/instance_view.hpp"

namespace svc::app::admin {

/// Those that either store knows: an instance that reaches only one of them is there too.
task<answer> list_instances(session& s, arguments) {
  std::vector<known_instance> known;
  for (auto const& one : co_await s.instances.read(s.patience()))
    known.push_back({.who = one.who, .started_at = one.started_at, .postgres = true});
  auto const listed = co_await s.instances_in_redis();
  boost::json::array rows;
  for (auto const& one : merged(std::move(known), listed.value_or(std::vector<instance_identity>{}))) {
    boost::json::value started, in_redis;
    if (one.started_at) started = to_rfc3339(*one.started_at);
    if (listed) in_redis = one.redis;
    rows.push_back({{"id", one.who.id.to_string()},
                    {"host", one.who.host},
                    {"address", one.who.address},
                    {"version", one.who.version},
                    {"commit", one.who.commit},
                    {"startedAt", std::move(started)},
                    {"postgres", one.postgres},
                    {"redis", std::move(in_redis)}});
  }
  co_return boost::json::value(std::move(rows));
}

}  // namespace svc::app::admin
