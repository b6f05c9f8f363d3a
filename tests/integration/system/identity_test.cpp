#include "identity.hpp"
#include "integration/system/faults/faults.hpp"
#include "support/fault_proxy.hpp"
#include "support/redis_cluster.hpp"
#include "support/repeated.hpp"
#include "support/together.hpp"

#include <array>

namespace svc::test {
namespace {

int const wanted_answers = long_form("TEST_ANSWERS", 8000);
constexpr int connections = 24, most_in_a_write = 8, of_each_tenant = 4;

/// Several tokens of one user (with one epoch, so that only the record tells them apart), in two projects.
std::vector<identity> make_identities(fleet& fleet) {
  std::vector<identity> out;
  for (int t = 0; t < 2; ++t) {
    auto const owner = fleet.make_tenant();
    auto client = fleet.client(0, owner.token);
    auto const project = text_of(body_of(client.get("/api/auth/whoami")), "/project/id");
    for (int i = 0; i < of_each_tenant; ++i) {
      auto const name = owner.organization + "-" + std::to_string(i);
      auto const token = body_of(client.post("/api/cli-tokens", R"({"name":")" + name + R"("})"));
      auto const test =
          body_of(client.post("/api/tests", R"({"title":")" + name + R"(","type":"command","script":"true"})"));
      auto const job = make_job(client);
      out.push_back({text_of(token, "/token/key"), text_of(token, "/token/id"), project, text_of(test, "/id"), name,
                     job, make_key(client, job, "k").key});
    }
  }
  return out;
}

asked draw(std::mt19937& random, std::vector<identity> const& all, std::string id) {
  using about = asked::about;
  // Most requests need one Redis call; enough others read and write in PostgreSQL.
  auto const dice = random() % 100;
  auto const content = dice < 70 ? about::self : dice < 85 ? about::test : dice < 98 ? about::own_token : about::run;
  return {content, &all[random() % all.size()], std::move(id)};
}

/// One client with pipelined requests of different tokens on one connection. Sometimes it closes the connection
/// before it has read the answers, which must not reach the next client.
void ask_on(support::https_client& connection, int me, std::vector<identity> const& all, identity_checker& checker,
            std::function<bool()> const& enough) {
  std::mt19937 random(static_cast<unsigned>(me) + 1);
  for (int batch = 0; !enough(); ++batch) {
    std::vector<asked> requests;
    std::string bytes;
    auto const count = 1 + random() % most_in_a_write;
    for (unsigned i = 0; i < count; ++i) {
      requests.push_back(
          draw(random, all, std::to_string(me) + "-" + std::to_string(batch) + "-" + std::to_string(i)));
      bytes += requests.back().bytes("svc");
    }
    bool const leaves = random() % 32 == 0;
    try {
      auto const answers = connection.pipelined(bytes, leaves ? random() % count : count);
      for (std::size_t i = 0; i < answers.size(); ++i) checker.hear(requests[i], answers[i]);
    } catch (std::runtime_error const&) {
      checker.broke_off();
      connection.close();
    }
    if (leaves) connection.close();
  }
}

/// The path of an instance to Redis through proxies that delay and cut its answers.
struct faulty_redis {
  virtual ~faulty_redis() = default;
  virtual std::vector<std::string> environment() const = 0;
  virtual std::vector<fault_proxy const*> proxies() const = 0;
  /// Disturbs the path for as long as the clients ask.
  virtual void disturb() {}
};

// Some stalls are shorter than the deadline of a command or request, some are longer.
constexpr mishaps of_redis{.005, .001, milliseconds(80)};

struct faulty_server final : faulty_redis {
  explicit faulty_server(std::string const& socket) : proxy(sockets.path() + "/redis.sock", socket, of_redis, 1) {}
  std::vector<std::string> environment() const override {
    return {"SVC_REDIS_URL=unix:" + sockets.path() + "/redis.sock"};
  }
  std::vector<fault_proxy const*> proxies() const override { return {&proxy}; }

  temporary_directory sockets{};
  fault_proxy proxy;
};

/// Three masters and one without slots, each behind a proxy. Slots move between them all the time.
struct faulty_cluster final : faulty_redis {
  faulty_cluster() {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      all.push_back(std::make_unique<fault_proxy>(nodes.announced(i), nodes.node(i).socket(), of_redis,
                                                  static_cast<unsigned>(i) + 1));
  }
  std::vector<std::string> environment() const override {
    return {"SVC_REDIS_URL=", "SVC_REDIS_MODE=cluster",
            "SVC_REDIS_NODES=" + nodes.announced(0) + "," + nodes.announced(1)};
  }
  std::vector<fault_proxy const*> proxies() const override {
    std::vector<fault_proxy const*> out;
    for (auto const& proxy : all) out.push_back(proxy.get());
    return out;
  }
  /// Moves the next slot with keys to another master.
  void disturb() override {
    auto const first = static_cast<std::size_t>(moves) % redis_cluster::masters;
    auto const last = (first + 1) % redis_cluster::masters;
    if (auto const slot = nodes.slot_with_keys(first)) nodes.move_slot(*slot, last);
    ++moves;
    std::this_thread::sleep_for(milliseconds(50));
  }

  redis_cluster nodes{{.replicas = false, .behind_proxies = true}};
  std::vector<std::unique_ptr<fault_proxy>> all{};
  int moves = 0;
};

/// An instance that reaches its stores through proxies that delay and cut their answers.
struct behind_faults {
  explicit behind_faults(std::function<std::unique_ptr<faulty_redis>(fleet const&)> const& make)
      : redis(make(fleet)), instance(fleet.beside(environment())) {}

  svc::test::fleet fleet{1, {}};
  std::unique_ptr<faulty_redis> redis;
  temporary_directory sockets{};
  fault_proxy postgres{sockets.path() + "/.s.PGSQL.5432", socket_of_postgres(), {.01, .002, milliseconds(800)}, 2};
  std::unique_ptr<second_service> instance;

  std::vector<std::string> environment() const {
    auto out = redis->environment();
    out.insert(out.end(), {"SVC_POSTGRES_URL=" + postgres_url(), "SVC_REDIS_DEADLINE=40ms", "SVC_HTTP_DEADLINE=400ms",
                           "SVC_AUTH_SEEN_READS=100000", "SVC_AUTH_UNSEEN_READS=100000"});
    return out;
  }
  std::string directory() const { return std::filesystem::path(fleet.redis_socket()).parent_path().string(); }
  std::string socket_of_postgres() const { return directory() + "/.s.PGSQL.5432"; }
  std::string postgres_url() const {
    auto const url = fleet.text("postgresUrl");
    return url.substr(0, url.find("host=")) + "host=" + sockets.path();
  }
};

/// Checks that the runs named to the triggers are the stored ones.
void check_runs(behind_faults const& faults, identity_checker const& checker) {
  std::map<std::string, std::string> stored;
  for (auto const& row : faults.fleet.sql("SELECT key, run_id FROM idempotency_keys")) stored[row[0]] = row[1];
  int wrong = 0;
  for (auto const& [key, run] : checker.runs()) wrong += stored[key] == run ? 0 : 1;
  CHECK(wrong == 0);
  CHECK(!checker.runs().empty());
}

void check_identities(behind_faults& faults) {
  auto const all = make_identities(faults.fleet);
  identity_checker checker;
  auto const to_redis = faults.redis->proxies();
  std::array const to_postgres{&faults.postgres};
  // This number of answers may pass before a line is cut; then the clients send some more requests.
  auto const enough = [&] {
    int const answers = checker.seen().answers;
    bool const all_kinds = counts_of(to_redis).are_of_both_kinds() && counts_of(to_postgres).are_of_both_kinds();
    return answers >= wanted_answers && (all_kinds || answers >= 5 * wanted_answers);
  };
  repeated disturber([&] {
    faults.redis->disturb();
    std::this_thread::sleep_for(milliseconds(1));
  });
  together(connections, [&](int me) {
    support::https_client connection(faults.instance->url(), faults.fleet.text("caFile"));
    ask_on(connection, me, all, checker, enough);
  });
  CHECK(disturber.stop() == "");
  auto const seen = checker.seen();
  CHECK(seen.foreign == 0);
  for (auto const& [settings, count] : seen.entries) MESSAGE(count << " times: " << settings);
  CHECK(seen.good > wanted_answers / 2);
  auto const redis = counts_of(to_redis), postgres = counts_of(to_postgres);
  for (auto const count : {redis.stalls, redis.cuts, postgres.stalls, postgres.cuts}) CHECK(count > 0);
  check_runs(faults, checker);
  MESSAGE(seen.answers << " answers, " << seen.good << " good, " << seen.unavailable << " unavailable, "
                       << checker.runs().size() << " runs; Redis " << redis.stalls << " stalls, " << redis.cuts
                       << " cuts; PostgreSQL " << postgres.stalls << " stalls, " << postgres.cuts << " cuts");
}

TEST_CASE("stalls, cancels and resets in the middle of replies: no answer belongs to another request") {
  behind_faults faults([](fleet const& fleet) { return std::make_unique<faulty_server>(fleet.redis_socket()); });
  check_identities(faults);
}

TEST_CASE("stalls, cancels and resets over Redis Cluster, while slots move: no answer belongs to another request") {
  behind_faults faults([](fleet const&) { return std::make_unique<faulty_cluster>(); });
  check_identities(faults);
  auto const& redis = static_cast<faulty_cluster const&>(*faults.redis);
  CHECK(redis.moves > 0);
  MESSAGE(redis.moves << " slots moved");
}

TEST_CASE("the identity checker sees two records that were swapped") {
  auto& fleet = shared_fleet();
  auto const all = make_identities(fleet);
  std::string keys[2];
  for (int i = 0; i < 2; ++i) {
    auto const& entry = all[static_cast<std::size_t>(i)];
    CHECK(fleet.client(0, entry.token).get("/api/auth/whoami").status == 200);
    keys[i] = "svc:tok:{" + fleet.sql("SELECT encode(sha256('" + entry.token + "'), 'hex')")[0][0] + "}";
    // The value is longer than the marker of a creation, so it is the record.
    CHECK(comes_true([&] { return fleet.redis({"STRLEN", keys[i]}).size() > 1; }, patience));
  }
  for (auto const& [source, target] :
       {std::pair(keys[0], std::string("aside")), {keys[1], keys[0]}, {"aside", keys[1]}})
    REQUIRE(fleet.redis({"RENAME", source, target}) == "OK");
  identity_checker checker;
  // The worker learns the database's time from its first read; until then it trusts no stored record.
  auto client = fleet.client(1, all[2].token);
  CHECK(client.get("/api/auth/whoami").status == 200);
  for (int i = 0; i < 2; ++i) {
    asked const question{asked::about::self, &all[static_cast<std::size_t>(i)], "planted-" + std::to_string(i)};
    checker.hear(question, client.http().raw(question.bytes("svc")));
  }
  auto const seen = checker.seen();
  CAPTURE(seen.good);
  CAPTURE(seen.unavailable);
  CHECK(seen.foreign == 2);
  CHECK(seen.entries.contains("another token"));
  fleet.redis({"DEL", keys[0], keys[1]});
}

}  // namespace
}  // namespace svc::test
