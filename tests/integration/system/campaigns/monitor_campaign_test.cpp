// Monitors whose targets fall and rise while instances and PostgreSQL are killed, ended and stopped; what was written
// and sent is checked as a whole (monitor_campaign_check.hpp). Some monitors have a parent or are in windows.
#include "integration/system/monitoring/monitor_rows.hpp"
#include "monitor_campaign_check.hpp"
#include "monitor_campaign_server.hpp"

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include "support/comes_true.hpp"
#include "support/fleet.hpp"
#include "support/process_tree.hpp"
#include "support/restarted_store.hpp"

#include <doctest/doctest.h>
#include <boost/algorithm/string/join.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <random>
#include <set>
#include <thread>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

constexpr int some_monitors = 24, monitors_of_provider = 100, providers_of_monitor = 2;
constexpr std::size_t monitors_of_window = 500;  ///< as the contract allows

struct monitor_campaign_plan {
  int monitors = some_monitors;
  int every = 2;  ///< seconds between checks
  std::chrono::seconds lasting{0};
  int rounds = 3;                             ///< at least
  std::chrono::seconds notified_within{180};  ///< a receiver's provider pauses for 5 s after each failed attempt
  unsigned seed = 0;
};

monitor_campaign_plan plan_of_monitors() {
  monitor_campaign_plan plan;
  plan.monitors = long_form("TEST_MONITOR_CAMPAIGN", some_monitors);
  if (plan.monitors > some_monitors) {
    plan.every = 10;
    plan.lasting = 180s;
    plan.notified_within = 900s;
  }
  plan.seed = static_cast<unsigned>(long_form("TEST_CAMPAIGN_SEED", static_cast<int>(std::random_device()() >> 1U)));
  return plan;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Three instances on one installation, of which dev stays; its monitors, and who hears of them.
class monitor_campaign {
 public:
  explicit monitor_campaign(monitor_campaign_plan const& plan)
      : plan_(plan),
        dice_(plan.seed),
        server_(static_cast<std::size_t>(plan.monitors)),
        down_(static_cast<std::size_t>(plan.monitors), false),
        fleet_(3, {"SVC_CHECKS_PER_TARGET_PER_MINUTE=1000000", "SVC_DRAIN_TIMEOUT=2s"}),
        postgres_(restarted_store::of(fleet_.dev().pid_of("postgres"))) {
    allow_any_interval(fleet_);
    fleet_.sql(note_slots);
    make_providers();
    make_pager();
    make_monitors();
    make_quiet();
    std::ranges::shuffle(kinds_, dice_);
  }

  bool settles(std::chrono::seconds within) {
    std::set<std::string> down;
    for (std::size_t i = 0; i < down_.size(); ++i)
      if (down_[i]) down.insert(monitors_[i]);
    auto const wanted = boost::algorithm::join(down, ",") + " 0";
    return comes_true(
        [&] {
          return answer_of(
                     "SELECT coalesce(string_agg(monitor_id::text, ',' ORDER BY monitor_id)"
                     " FILTER (WHERE verdict = 'down'), '') || ' ' ||"
                     " count(*) FILTER (WHERE verdict NOT IN ('down', 'up')) FROM monitor_status") == wanted;
        },
        within);
  }

  /// Waits until no failure is suppressed without a reason. `silenced` monitors keep theirs.
  bool releases(std::chrono::seconds within) {
    auto const count =
        "SELECT count(*) FROM alerts a JOIN outages o ON o.id = a.about AND o.ended_at IS NULL"
        " WHERE a.status = 'suppressed' AND a.target_id NOT IN ('" +
        boost::algorithm::join(silenced_, "','") +
        "') AND NOT EXISTS (SELECT 1 FROM monitor_dependencies d JOIN monitor_status p ON p.monitor_id = d.parent_id"
        " WHERE d.monitor_id = o.monitor_id AND p.verdict = 'down')";
    return comes_true([&] { return answer_of(count) == "0"; }, within);
  }

  /// Half of the targets change, and something happens, until each monitor says what its target does, and until the
  /// failures that outlive their windows and parents are released.
  bool round(std::chrono::seconds within) {
    open_short_window();
    for (std::size_t i = 0; i < down_.size(); ++i)
      if (dice_() % 2 == 0) change(i, !down_[i]);
    std::this_thread::sleep_for(std::chrono::milliseconds(dice_() % (500U * static_cast<unsigned>(plan_.every))));
    do_harm();
    return settles(within) && releases(within);
  }

  bool end(std::chrono::seconds within) {
    for (std::size_t i = 0; i < down_.size(); ++i)
      if (down_[i]) change(i, false);
    return settles(within) &&
           comes_true([&] { return answer_of("SELECT count(*) FROM alerts WHERE status = 'pending'") == "0"; },
                      within);
  }

  monitor_campaign_facts facts() const;
  std::map<std::string, int> const& harm_done() const { return harm_; }
  std::size_t asked() const { return server_.asked(); }

 private:
  // A result counts in the transaction that moves the slot on.
  static constexpr char const* note_slots = R"(
CREATE TABLE campaign_slots (id bigserial PRIMARY KEY, monitor uuid, slot bigint);
CREATE FUNCTION note_slot() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO campaign_slots (monitor, slot) VALUES (NEW.monitor_id, NEW.last_slot);
  RETURN NULL;
END $$;
CREATE TRIGGER campaign_slot_noted AFTER UPDATE ON check_states FOR EACH ROW
  WHEN (OLD.last_slot <> NEW.last_slot) EXECUTE FUNCTION note_slot())";

  /// Empty while PostgreSQL does not answer.
  std::string answer_of(std::string const& query) const {
    try {
      return fleet_.sql(query).at(0).at(0);
    } catch (std::runtime_error const&) {
      return {};
    }
  }
  void make_providers();
  void make_pager();
  void make_monitors();
  void make_quiet();
  void open_window(std::string const& name, std::vector<std::string> const& monitors, std::chrono::seconds lasting);
  void open_short_window();
  void change(std::size_t target, bool down) {
    server_.set_down(target, down);
    down_[target] = down;
    auto const now = seconds_now();
    if (down)
      falls_.push_back({monitors_[target], now, 0});
    else
      std::find_if(falls_.rbegin(), falls_.rend(), [&](auto const& f) {
        return f.monitor == monitors_[target];
      })->until = now;
  }
  void do_harm();
  void kill_postgres();
  void stop_postgres();
  std::vector<pid_t> all_of_postgres();
  void stop_instance(std::size_t instance);

  monitor_campaign_plan plan_;
  std::mt19937 dice_;
  monitor_campaign_server server_;
  std::vector<bool> down_;
  fleet fleet_;
  restarted_store::origin postgres_;
  std::optional<restarted_store> restarted_{};
  std::vector<std::string> monitors_{}, providers_{};
  std::string pager_{};
  std::vector<std::string> children_{}, silenced_{}, windowed_{};  ///< monitors with a parent, or in windows
  int windows_ = 0;
  std::map<std::string, std::vector<std::string>> providers_of_{};
  std::vector<target_fall> falls_{};
  std::array<char const*, 5> kinds_{"killed", "PostgreSQL killed", "ended", "stopped", "PostgreSQL stopped"};
  std::map<std::string, int> harm_{};
};

void monitor_campaign::make_providers() {
  auto client = fleet_.client(0, fleet_.text("token"));
  auto const some = std::max(providers_of_monitor, plan_.monitors / monitors_of_provider);
  for (int i = 0; i < some; ++i) {
    auto const n = std::to_string(i);
    auto const made = client.post("/api/notification-providers",
                                  R"({"name":"receiver )" + n + R"(","type":"webhook","config":{"url":"http://)" +
                                      server_.address() + "/receiver/" + n + R"("}})");
    REQUIRE(made.status == 201);
    providers_.push_back(text_of(body_of(made), "/id"));
  }
}

/// The database takes all messages to the pager, because no test reaches PagerDuty.
void monitor_campaign::make_pager() {
  auto client = fleet_.client(0, fleet_.text("token"));
  auto const made = client.post("/api/notification-providers",
                                R"({"name":"pager","type":"pagerduty","config":{"routingKey":"r01234567"}})");
  REQUIRE(made.status == 201);
  pager_ = text_of(body_of(made), "/id");
  fleet_.sql(
      "CREATE FUNCTION page_at_once() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$"
      " BEGIN NEW.status := 'sent'; RETURN NEW; END $$;"
      "CREATE TRIGGER campaign_paged BEFORE INSERT OR UPDATE ON alerts FOR EACH ROW WHEN (NEW.provider_id = '" +
      pager_ + "' AND NEW.status = 'pending') EXECUTE FUNCTION page_at_once()");
}

/// Adds the dependencies and the window that lasts as long as the campaign. A parent is a monitor without a parent.
void monitor_campaign::make_quiet() {
  std::string rows;
  for (std::size_t i = 2; i < monitors_.size(); i += 4) {
    rows += (rows.empty() ? "('" : ",('") + fleet_.text("projectId") + "'::uuid, '" + monitors_[i] + "'::uuid, '" +
            monitors_[i - 1] + "'::uuid, 1)";
    children_.push_back(monitors_[i]);
  }
  fleet_.sql("INSERT INTO monitor_dependencies (project_id, monitor_id, parent_id, slot) VALUES " + rows);
  for (std::size_t i = 3; i < monitors_.size(); i += 4) (i % 8 == 3 ? silenced_ : windowed_).push_back(monitors_[i]);
  for (std::size_t first = 0; first < silenced_.size(); first += monitors_of_window) {
    auto const last = std::min(first + monitors_of_window, silenced_.size());
    auto const begin = silenced_.begin();
    open_window("all the time",
                {begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last)}, 24h);
  }
}

void monitor_campaign::open_window(std::string const& name, std::vector<std::string> const& monitors,
                                   std::chrono::seconds lasting) {
  auto client = fleet_.client(0, fleet_.text("token"));
  auto const now = system_now();
  auto const end = timestamp{now.micros + std::chrono::microseconds(lasting).count()};
  auto const made =
      client.post("/api/maintenance-windows", R"({"name":")" + name + R"(","monitorIds":[")" +
                                                  boost::algorithm::join(monitors, "\",\"") + R"("],"startsAt":")" +
                                                  to_rfc3339(now) + R"(","endsAt":")" + to_rfc3339(end) + R"("})");
  REQUIRE_MESSAGE(made.status == 201, made.body);
  ++windows_;
}

/// Opens a window for a few seconds of a round. Each failure that outlives it must be notified.
void monitor_campaign::open_short_window() {
  auto const count = std::min(windowed_.size(), monitors_of_window);
  std::ranges::shuffle(windowed_, dice_);
  open_window("short " + std::to_string(windows_),
              {windowed_.begin(), windowed_.begin() + static_cast<std::ptrdiff_t>(count)},
              std::chrono::seconds(1 + dice_() % 4));
}

void monitor_campaign::make_monitors() {
  std::string rows;
  for (int i = 0; i < plan_.monitors; ++i) {
    auto const id = uuid::generate_v7().to_string();
    auto const first = static_cast<std::size_t>(i) % providers_.size();
    bool const paged = i % 3 == 1;
    auto const second = paged ? pager_ : providers_[(first + 1) % providers_.size()];
    std::vector<std::string> const reported{providers_[first], second};
    rows += (i == 0 ? "('" : ",('") + id + "'::uuid, " + std::to_string(i) + R"(, '{"enabled":true,)" +
            R"("notificationProviders":[")" + reported[0] + R"(",")" + reported[1] + R"("]}'))";
    monitors_.push_back(id);
    providers_of_[id] = reported;
  }
  fleet_.sql(
      "INSERT INTO monitors (id, project_id, name, type, target, frequency_minutes, frequency_seconds, config,"
      " alert_config, attempts_seconds, created_by)"
      " SELECT m.id, '" +
      fleet_.text("projectId") + "', 'target ' || m.n, 'http_request', 'http://" + server_.address() +
      "/target/' || m.n, 1, " + std::to_string(plan_.every) +
      ", '{\"retryStrategy\":{\"maxRetries\":0}}', m.alerts::jsonb, 2, '" + fleet_.text("userId") +
      "' FROM (VALUES " + rows + ") m (id, n, alerts)" + add_states_of_monitors);
}

void monitor_campaign::kill_postgres() {
  auto const all = all_of_postgres();
  for (auto const count : all) ::kill(count, SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(dice_() % 1000));
  restarted_.reset();
  // A server that starts while sessions of the former one have its memory ends at once.
  CHECK(comes_true([&] { return std::ranges::none_of(all, [](pid_t pid) { return ::kill(pid, 0) == 0; }); }, 20s));
  restarted_.emplace(postgres_);
  CHECK(comes_true([&] { return answer_of("SELECT 1") == "1"; }, 60s));
}

void monitor_campaign::stop_postgres() {
  auto const all = all_of_postgres();
  std::this_thread::sleep_for(std::chrono::milliseconds(300 + dice_() % 2000));
  for (auto const count : all) ::kill(count, SIGCONT);
}

/// Stopped, the postmaster first, so that it starts no new session.
std::vector<pid_t> monitor_campaign::all_of_postgres() {
  auto const postmaster = restarted_ ? restarted_->pid() : fleet_.dev().pid_of("postgres");
  ::kill(postmaster, SIGSTOP);
  auto all = children_of(postmaster);
  for (auto const count : all) ::kill(count, SIGSTOP);
  all.push_back(postmaster);
  return all;
}

void monitor_campaign::stop_instance(std::size_t instance) {
  fleet_.process(instance).signal(SIGSTOP);
  std::this_thread::sleep_for(std::chrono::milliseconds(300 + dice_() % 2000));
  fleet_.process(instance).signal(SIGCONT);
}

void monitor_campaign::do_harm() {
  auto const instance = 1 + dice_() % 2;
  // Each once, in an order of this seed, and then at random.
  std::string const kind = kinds_[harm_.size() < kinds_.size() ? harm_.size() : dice_() % kinds_.size()];
  ++harm_[kind];
  if (kind == "PostgreSQL killed") return kill_postgres();
  if (kind == "PostgreSQL stopped") return stop_postgres();
  if (kind == "stopped") return stop_instance(dice_() % 3);
  if (kind == "killed") fleet_.process(instance).kill();
  if (kind == "ended") CHECK(fleet_.process(instance).stop() == 0);
  fleet_.restart(instance);
}

monitor_campaign_facts monitor_campaign::facts() const {
  monitor_campaign_facts out{.falls = falls_, .providers_of = providers_of_};
  for (auto const& row : fleet_.sql("SELECT id, monitor_id, extract(epoch FROM started_at),"
                                    " extract(epoch FROM detected_at), ended_at IS NOT NULL FROM outages"))
    out.outages.push_back({row[0], row[1], std::stod(row[2]), std::stod(row[3]), row[4] == "t"});
  for (auto const& row : fleet_.sql("SELECT about, type, provider_id, status FROM alerts"))
    out.alerts.push_back({row[0], row[1], row[2], row[3]});
  for (auto const& row : fleet_.sql("SELECT monitor, slot FROM campaign_slots ORDER BY id"))
    out.slots.push_back({row[0], std::stoll(row[1])});
  for (std::size_t i = 0; i < providers_.size(); ++i) out.received[providers_[i]] = server_.received_by(i);
  out.silenced.insert(silenced_.begin(), silenced_.end());
  out.sometimes.insert(windowed_.begin(), windowed_.end());
  out.sometimes.insert(children_.begin(), children_.end());
  return out;
}

TEST_CASE(
    "targets fail and recover while instances and PostgreSQL are killed: each failure is one outage, reported once") {
  auto const plan = plan_of_monitors();
  MESSAGE("seed " << plan.seed);
  monitor_campaign campaign(plan);
  REQUIRE(campaign.settles(60s));
  auto const over = std::chrono::steady_clock::now() + plan.lasting;
  int rounds = 0;
  while (std::chrono::steady_clock::now() < over || rounds < plan.rounds) {
    REQUIRE(campaign.round(90s));
    ++rounds;
  }
  REQUIRE(campaign.end(plan.notified_within));
  auto const facts = campaign.facts();
  auto const broken = broken_promises(facts);
  for (auto const& [content, owner] : broken)
    CHECK_MESSAGE(false, content << ": " << owner.size() << ", first " << owner.front());
  CHECK(facts.outages.size() > 0);
  std::string harm;
  for (auto const& [kind, times] : campaign.harm_done()) harm += ", " + kind + " " + std::to_string(times);
  MESSAGE(rounds << " rounds, " << facts.falls.size() << " falls, " << facts.outages.size() << " outages, "
                 << facts.alerts.size() << " alerts, " << facts.slots.size() << " results of " << campaign.asked()
                 << " requests" << harm);
}

}  // namespace
}  // namespace svc::test
