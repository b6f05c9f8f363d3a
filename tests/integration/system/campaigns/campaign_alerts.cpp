#include "campaign_alerts.hpp"

#include "support/comes_true.hpp"

#include <chrono>
#include <sstream>
#include <stdexcept>

namespace svc::test {
namespace {

// A transaction that counts a job's runs holds the job's row until it commits, so its first id gives its order.
constexpr char const* note_counted = R"(
CREATE TABLE campaign_counted (id bigserial PRIMARY KEY, transaction xid8, job uuid, run uuid, status text,
  ended_at timestamptz);
CREATE FUNCTION note_counted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO campaign_counted (transaction, job, run, status, ended_at)
  VALUES (pg_current_xact_id(), OLD.job_id, OLD.run_id, OLD.status, OLD.ended_at);
  RETURN NULL;
END $$;
CREATE TRIGGER campaign_run_counted AFTER DELETE ON run_alerts_due FOR EACH ROW EXECUTE FUNCTION note_counted())";

constexpr char const* counted_in_order =
    "SELECT job, run, status FROM (SELECT *, min(id) OVER (PARTITION BY transaction, job) AS batch"
    " FROM campaign_counted) c ORDER BY job, batch, ended_at, run";

/// The expected streak of a job.
struct alert_streak {
  int failures = 0, passes = 0;
  bool reported = false;
};

std::vector<std::string> types_of(std::string const& status, alert_thresholds const& thresholds, alert_streak& now) {
  std::vector<std::string> out;
  if (status == "passed") {
    if (now.reported) out.emplace_back("job_recovered");
    now = {.failures = 0, .passes = now.passes + 1, .reported = false};
    if (now.passes >= thresholds.passes) out.emplace_back("job_success");
    return out;
  }
  now.passes = 0;
  ++now.failures;
  if (status == "timed_out") out.emplace_back("job_timeout");
  if (status != "timed_out" && now.failures >= thresholds.failures) out.emplace_back("job_failed");
  now.reported = now.reported || !out.empty();
  return out;
}

std::string listed(std::set<std::string> const& jobs) {
  std::string out;
  for (auto const& each : jobs) out += (out.empty() ? "'" : ", '") + each + "'";
  return out;
}

}  // namespace

std::string run_alert_verdict::text() const {
  std::ostringstream out;
  for (auto const& [type, count] : reported) out << type << " " << count << ", ";
  for (auto const& [content, runs] : broken)
    out << content << ": " << runs.size() << " runs, such as " << *runs.begin() << ", ";
  return out.str();
}

run_alert_verdict evaluate(run_alert_facts const& facts) {
  run_alert_verdict out;
  std::map<std::string, alert_streak> streaks;
  std::multiset<std::pair<std::string, std::string>> wanted;
  std::set<std::string> counted;
  for (auto const& each : facts.in_order) {
    if (!counted.insert(each.run).second) out.broken["counted twice"].insert(each.run);
    auto const ended = facts.ended.find(each.run);
    if (ended == facts.ended.end() || ended->second != each.status)
      out.broken["counted otherwise than it ended"].insert(each.run);
    for (auto& type : types_of(each.status, facts.jobs.at(each.job), streaks[each.job]))
      wanted.insert({each.run, type});
  }
  for (auto const& [run, status] : facts.ended)
    if ((status != "cancelled") != counted.contains(run))
      out.broken[status == "cancelled" ? "counted though cancelled" : "not counted"].insert(run);
  for (auto const& each : wanted)
    if (facts.alerts.count(each) == 0) out.broken["no " + each.second].insert(each.first);
  for (auto const& each : facts.alerts) {
    ++out.reported[each.second];
    if (facts.alerts.count(each) > wanted.count(each))
      out.broken["a " + each.second + " too many"].insert(each.first);
  }
  return out;
}

void alerted_runs(fleet& fleet, api_client& client, std::string const& webhook,
                  std::map<std::string, alert_thresholds> const& jobs) {
  auto const hook = client.post("/api/notification-providers",
                                R"({"name":"hook","type":"webhook","config":{"url":")" + webhook + "\"}}");
  if (hook.status != 201) throw std::runtime_error("no provider: " + hook.body);
  for (auto const& [job, thresholds] : jobs) {
    auto const set = client.patch("/api/jobs/" + job,
                                  R"({"alertConfig":{"enabled":true,"alertOnSuccess":true,"alertOnRecovery":true,)"
                                  R"("failureThreshold":)" +
                                      std::to_string(thresholds.failures) + R"(,"recoveryThreshold":)" +
                                      std::to_string(thresholds.passes) + R"(,"notificationProviders":[")" +
                                      text_of(body_of(hook), "/id") + "\"]}}");
    if (set.status != 200) throw std::runtime_error("no alertConfig: " + set.body);
  }
  fleet.sql(note_counted);
}

run_alert_facts read_alerted_runs(fleet& fleet, std::map<std::string, alert_thresholds> const& jobs) {
  if (!comes_true([&] { return fleet.sql("SELECT count(*) FROM run_alerts_due")[0][0] == "0"; },
                  std::chrono::seconds(60)))
    throw std::runtime_error("ended runs are left that nobody counts");
  run_alert_facts out{.jobs = jobs};
  std::set<std::string> ids;
  for (auto const& each : jobs) ids.insert(each.first);
  for (auto& row : fleet.sql("SELECT run_id, status FROM run_results WHERE job_id IN (" + listed(ids) + ")"))
    out.ended[row[0]] = row[1];
  for (auto& row : fleet.sql(counted_in_order)) out.in_order.push_back({row[0], row[1], row[2]});
  for (auto& row : fleet.sql("SELECT about, type FROM alerts WHERE target_type = 'job'"))
    out.alerts.insert({row[0], row[1]});
  return out;
}

}  // namespace svc::test
