// Instances count themselves: real processes, one of them with a wrong number in its configuration.
#include "integration/system/faults/faults.hpp"
#include "integration/system/jobs.hpp"
#include "integration/system/overload/worker_connections.hpp"

#include <optional>
#include <set>

namespace svc::test {
namespace {

constexpr int limit = 60;
/// Until an entry ends, and the heartbeat that notices.
constexpr milliseconds gone_within{12'000 + 2 * 3'000 + 2'000};
/// Until the stores have agreed for long enough, twice if a busy machine misses a heartbeat meanwhile.
constexpr milliseconds agreed_within{2 * (10'000 + 3 * 3'000) + 2'000};

/// The fleet's two, with `instances = 1`, and one with `instances = 5`.
class three_instances {
 public:
  three_instances()
      : fleet_(2, {"SVC_HTTP_DEADLINE=2s", "SVC_REDIS_DEADLINE=50ms", "SVC_WORKERS=2"}),
        third_(fleet_.beside({"SVC_INSTANCES=5"})) {}

  fleet& of() { return fleet_; }
  std::size_t size() const { return third_ ? 3 : 2; }
  second_service& third() { return *third_; }
  void kill_third() {
    third_->process().kill();
    third_.reset();
  }
  std::string url(std::size_t i) const { return i < 2 ? fleet_.url(i) : third_->url(); }
  std::vector<api_client> clients(std::string const& token) const {
    std::vector<api_client> out;
    for (std::size_t i = 0; i < size(); ++i) out.emplace_back(url(i), fleet_.text("caFile"), token);
    return out;
  }
  boost::json::object page(std::size_t i) const {
    api_client pages(i < 2 ? fleet_.admin_url(i) : third_->admin_url(), {}, {});
    return body_of(pages.get("/readyz?verbose"));
  }

  /// True if all of them report this of `instances` in time.
  bool become(std::function<bool(boost::json::object const&)> const& wanted, milliseconds within) const {
    return comes_true(
        [&] {
          for (std::size_t i = 0; i < size(); ++i)
            if (!wanted(page(i).at("instances").as_object())) return false;
          return true;
        },
        within);
  }
  /// True if every worker decides there in time, while requests arrive.
  bool limits_become(std::string const& where, std::string const& token) const {
    auto users = clients(token);
    return comes_true(
        [&] {
          bool all = true;
          for (auto& user : users)
            for (int n = 0; n < 4; ++n) user.get("/api/auth/whoami");
          for (std::size_t i = 0; i < size(); ++i) {
            auto const seen = page(i);
            for (auto const& worker : seen.at("workers").as_array()) all = all && text_of(worker, "/limits") == where;
          }
          return all;
        },
        patience);
  }

 private:
  fleet fleet_;
  std::unique_ptr<second_service> third_;
};

int number_of(boost::json::object const& object, std::string_view member) {
  auto const& value = object.at(member);
  return value.is_int64() ? static_cast<int>(value.get_int64()) : -1;
}

bool say(boost::json::object const& page, int count, int divisor) {
  return number_of(page, "count") == count && number_of(page, "limitsDividedBy") == divisor &&
         number_of(page, "postgres") == count && number_of(page, "redis") == count;
}

bool divide_by(boost::json::object const& page, int divisor) {
  return number_of(page, "limitsDividedBy") == divisor;
}

/// Triggers that are admitted until one is refused.
int admitted(api_client& client, std::string const& job) {
  for (int n = 0;; ++n) {
    auto const got = client.post(trigger_path(job));
    CHECK_MESSAGE((got.status == 202 || code_of(got) == "rate_limited"), got.body);
    if (got.status != 202) return n;
  }
}

/// On each of them.
std::vector<int> admitted(three_instances const& instances, std::string const& job, std::string const& key) {
  std::vector<int> out;
  for (auto& client : instances.clients(key)) out.push_back(admitted(client, job));
  return out;
}

std::set<std::string> addresses(boost::json::array const& array) {
  std::set<std::string> out;
  for (auto const& value : array) out.insert("https://" + text_of(value, "/address"));
  return out;
}

TEST_CASE("instances count themselves, and share a limit by that while Redis is away, whatever is configured") {
  three_instances fleet;
  auto const tenant = fleet.of().make_tenant();
  auto owner = fleet.of().client(0, tenant.token);
  auto const job = make_job(owner);
  std::vector<trigger_key> keys;
  for (auto const* name : {"all", "killed", "left"})
    keys.push_back(make_key(owner, job, name, R"("rateLimit":{"limit":60,"windowSeconds":300})"));

  REQUIRE(fleet.become([](auto const& page) { return say(page, 3, 3); }, patience));
  std::set<std::string> const urls{fleet.url(0), fleet.url(1), fleet.url(2)};
  auto const seen = fleet.page(1).at("instances").as_object();
  CHECK(text_of(seen, "/source") == "stores");
  CHECK(addresses(seen.at("who").as_array()) == urls);
  for (auto const& value : seen.at("who").as_array())
    CHECK(value.at("self").as_bool() == ("https://" + text_of(value, "/address") == fleet.url(1)));
  auto const listed = fleet.of().admin({"list-instances"});
  CHECK(addresses(listed.as_array()) == urls);
  for (auto const& value : listed.as_array()) {
    CHECK(text_of(value, "/version") == text_of(fleet.page(0), "/version"));
    CHECK(value.at("postgres").as_bool());
    CHECK(value.at("redis").as_bool());
  }
  {
    stopped_process const redis(fleet.of().dev().pid_of("redis"));
    REQUIRE(fleet.limits_become("local", tenant.token));
    // On a machine that was frozen an instance may have registered again.
    REQUIRE(fleet.become([](auto const& page) { return divide_by(page, 3); }, patience));
    CHECK(admitted(fleet, job, keys[0].key) == std::vector<int>(3, limit / 3));
    fleet.kill_third();
    // It is gone from PostgreSQL, but might be cut off and go on with its share.
    REQUIRE(fleet.become([](auto const& page) { return number_of(page, "postgres") == 2; }, gone_within));
    for (std::size_t i = 0; i < 2; ++i) {
      auto const page = fleet.page(i).at("instances").as_object();
      CHECK(number_of(page, "count") == 3);
      CHECK(text_of(page, "/source") == "earlier");
      CHECK(page.at("redis").is_null());
    }
    REQUIRE(fleet.become([](auto const& page) { return divide_by(page, 3); }, patience));
    CHECK(admitted(fleet, job, keys[1].key) == std::vector<int>(2, limit / 3));
    auto const alone = fleet.of().admin({"list-instances"});
    CHECK(alone.as_array().size() == 2);
    CHECK(alone.at(0).at("redis").is_null());
  }
  REQUIRE(fleet.limits_become("shared", tenant.token));
  CHECK(fleet.become([](auto const& page) { return say(page, 2, 2); }, agreed_within));
  // One that is stopped takes itself out of both.
  CHECK(fleet.of().process(1).stop() == 0);
  CHECK(addresses(fleet.of().admin({"list-instances"}).as_array()) == std::set<std::string>{fleet.url(0)});
  CHECK(fleet.of().redis({"ZCARD", "svc:instances"}) == "1");
}

TEST_CASE("an instance that starts while Redis is full serves when the others have counted it, and then shares") {
  fleet fleet(1, {"SVC_HTTP_DEADLINE=2s", "SVC_REDIS_DEADLINE=50ms", "SVC_WORKERS=1"});
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const job = make_job(owner);
  auto const key = make_key(owner, job, "both", R"("rateLimit":{"limit":60,"windowSeconds":300})");
  fleet.redis({"CONFIG", "SET", "maxmemory", "1"});
  REQUIRE(limits_become(fleet, "local", patience, [&] { owner.get("/api/auth/whoami"); }));
  auto const start = clock::now();
  auto const late = fleet.beside({"SVC_INSTANCES=5"});
  CHECK(clock::now() - start >= seconds(6));
  api_client pages(late->admin_url(), {}, {});
  auto const seen = body_of(pages.get("/readyz?verbose")).at("instances").as_object();
  CHECK(number_of(seen, "count") == 2);
  CHECK(number_of(seen, "limitsDividedBy") == 2);
  REQUIRE(comes_true(
      [&] {
        auto const of_earlier = body_of(fleet.pages(0).get("/readyz?verbose"));
        return divide_by(of_earlier.at("instances").as_object(), 2);
      },
      patience));
  auto earlier = fleet.client(0, key.key);
  api_client later(late->url(), fleet.text("caFile"), key.key);
  CHECK(admitted(earlier, job) == limit / 2);
  CHECK(admitted(later, job) == limit / 2);
}

}  // namespace
}  // namespace svc::test
