#include "app/admin/actions.hpp"
#include "svc/core/time.hpp"

namespace svc::app::admin {

namespace {

boost::json::object partition_json(store::ended_partition const& partition) {
  return {{"partition", partition.name},
          {"before", to_rfc3339(partition.end)},
          {"rows", partition.rows},
          {"bytes", partition.bytes}};
}

/// Returns a time as psql prints it (`2027-01-01 12:00:00+00`) in the form of RFC 3339.
std::string as_rfc3339(std::string text) {
  constexpr std::size_t day = 10, hours = 3;
  if (text.size() > day && text[day] == ' ') text[day] = 'T';
  auto const sign = text.find_last_of("+-");
  if (sign != std::string::npos && sign > day && text.size() - sign == hours) text += ":00";
  return text;
}

}  // namespace

std::optional<timestamp> parse_day(std::string const& text) {
  auto const moment = parse_rfc3339(as_rfc3339(text));
  return moment ? moment : parse_rfc3339(text + "T00:00:00Z");
}

task<answer> drop_audit(session& s, arguments a) {
  auto const before = parse_day(a.before);
  if (!before) co_return error(errc::validation_failed, "--before must be a date.");
  boost::json::array notified;
  for (auto const& partition : co_await s.partitions.ended(store::audit_by_time, *before, s.patience())) {
    if (a.confirmed) {
      auto const done = co_await s.partitions.drop(store::audit_by_time, partition, s.actor, s.patience());
      if (!done) co_return done.error();
    }
    notified.push_back(partition_json(partition));
  }
  co_return boost::json::value{{"dropped", a.confirmed}, {"partitions", std::move(notified)}};
}

}  // namespace svc::app::admin
