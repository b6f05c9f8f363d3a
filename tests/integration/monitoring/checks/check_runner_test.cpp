// Tests checks with the variables of their project, against a server of the test.
#include "integration/monitoring/scheduler/watching.hpp"

#include "integration/egress/http_server.hpp"
#include "monitoring/checks/check_runner.hpp"
#include "support/private_postgres.hpp"
#include "support/watched_target.hpp"
#include "svc/store/jobs/variable_store.hpp"
#include "svc/store/monitors/monitor_secrets.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

using namespace svc;
using namespace svc::test;
using namespace std::chrono_literals;

namespace {

checks::engine_settings reaching_loopback() {
  return {.policy = std::make_shared<egress::address_policy const>(std::vector{cidr::parse("127.0.0.0/8").value()}),
          .trust = std::make_shared<egress::trust_store const>(std::initializer_list<std::string>{})};
}

/// The results of checks that started together, and the fewest attempts of a single check.
struct ended_checks {
  int runs = 0, missed = 0;
  unsigned attempts = 1;
  friend bool operator==(ended_checks const&, ended_checks const&) = default;
};

struct performing : watching {
  scheduler::check_order order(std::string config, std::int64_t version = 1) {
    return {.monitor = monitor,
            .project = project,
            .check_version = version,
            .type = "http_request",
            .target = "http://" + target.address() + "/",
            .config = std::move(config),
            .interval = std::chrono::seconds(60),
            .may_wait = std::chrono::seconds(1)};
  }
  scheduler::check_report test(scheduler::check_order order) {
    return std::get<scheduler::check_report>(wait(runner.test(std::move(order))));
  }
  scheduler::check_report run(scheduler::check_order order) {
    return std::get<scheduler::check_report>(wait(runner.run(std::move(order))));
  }
  ended_checks run_many(scheduler::check_order const& order, int count) {
    ended_checks out{.attempts = 100};
    for (int i = 0; i < count; ++i) {
      asio::co_spawn(io, runner.run(order), [&](std::exception_ptr, scheduler::check_end end) {
        auto const* entry = std::get_if<scheduler::check_report>(&end);
        ++(entry != nullptr ? out.runs : out.missed);
        if (entry != nullptr) out.attempts = std::min(out.attempts, entry->attempts);
      });
    }
    io.restart();
    while (out.runs + out.missed < count && io.run_one() > 0) {
    }
    return out;
  }
  void add_variable(std::string key, std::string value, bool secret) {
    CHECK(wait(variables.create(as_ed(), {std::move(key), secret_string(value), secret}, soon())).has_value());
  }

  uuid const monitor = uuid::generate_v7();
  watched_target target;
  checks::check_state state{1};
  checks::check_meter meter{counters, state};
  store::variable_store variables{pool, master};
  store::check_variables reading{pool, master};
  checks::engine engine{io, reaching_loopback()};
  store::monitor_secrets secrets{pool, master};
  checks::check_runner runner{engine, {reading, secrets}, meter, {}, {.attempt = 2s, .all = 3500ms}};
};

std::string said(scheduler::check_report const& result) {
  return result.result.known.error ? std::string(checks::row_of(result.result.known.error->which).name)
                                   : std::string(checks::name_of(result.result.ended));
}

}  // namespace

TEST_CASE("a check has the variables of its project, as they are now, and shows no secret one") {
  performing db;
  auto const config = R"({"headers":{"x-plain":"{{PLACE}}","x-key":"{{KEY}}"},"keywordInBody":"never there",
                          "capture":"on_failure","retryStrategy":{"maxRetries":0}})";
  auto missing = db.run(db.order(config));
  CHECK(said(missing) == "variable_missing");
  db.add_variable("PLACE", "the north", false);
  db.add_variable("KEY", "s3cret-of-the-shop", true);
  auto const failed = db.run(db.order(config));
  CHECK(said(failed) == "assertion_failed");
  CHECK(db.target.last_request().find("s3cret-of-the-shop") != std::string::npos);
  auto const details = checks::details_json(failed.result);
  CHECK(details.find("the north") != std::string::npos);
  CHECK(details.find("s3cret-of-the-shop") == std::string::npos);
  CHECK_MESSAGE(details.find("x-key: ***") != std::string::npos, details);
}

TEST_CASE("a check has the sealed secrets of its monitor, which nothing shows") {
  performing db;
  auto set = db.wanted_without_provider();
  set.target = "http://" + db.target.address() + "/";
  set.config = R"({"auth":{"type":"bearer","token":"sealed-of-the-shop"},"keywordInBody":"never there",
                   "capture":"on_failure","retryStrategy":{"maxRetries":0}})";
  auto const made = db.make_monitor(set);
  auto order = db.order(made.set.config);
  CHECK(order.config.find("sealed-of-the-shop") == std::string::npos);
  order.monitor = made.id;
  auto const failed = db.run(order);
  CHECK(said(failed) == "assertion_failed");
  CHECK(db.target.last_request().find("Bearer sealed-of-the-shop") != std::string::npos);
  CHECK(checks::details_json(failed.result).find("sealed-of-the-shop") == std::string::npos);
  // An earlier version saved a host that contains a variable.
  db.add_variable("PLACE", "127.0.0.1:1", false);
  set.name = "kept";
  set.target = "http://{{PLACE}}/";
  auto const stored = db.make_monitor(set);
  order = db.order(stored.set.config), order.monitor = stored.id;
  order.target = "http://{{PLACE}}/";
  auto const kept = db.run(order);
  CHECK(said(kept) == "target_invalid");
  CHECK(kept.result.known.error->message.find("must name its host without variables") != std::string::npos);
}

TEST_CASE("variables that cannot be read are no failure of the target") {
  performing db;
  db.of_all().stop();
  auto const end = db.wait(db.runner.run(db.order(R"({"headers":{"x-key":"{{KEY}}"}})")));
  REQUIRE(std::holds_alternative<scheduler::skip_reason>(end));
  CHECK(std::get<scheduler::skip_reason>(end) == scheduler::skip_reason::values_unread);
  // A check that needs no variable still runs.
  CHECK(said(db.run(db.order("{}", 2))) == "up");
  db.of_all().start();
}

TEST_CASE("a configuration is read once for each version, and one that this version refuses says so") {
  performing db;
  CHECK(said(db.run(db.order("{}"))) == "up");
  CHECK(said(db.run(db.order(R"({"expectedStatusCodes":"500"})"))) == "up");
  CHECK(said(db.run(db.order(R"({"expectedStatusCodes":"500","retryStrategy":{"maxRetries":0}})", 2))) ==
        "status_unexpected");
  auto const refused = db.run(db.order(R"({"expectedStatusCodes":"many"})", 3));
  CHECK(said(refused) == "target_invalid");
  CHECK(refused.result.known.error->message.find("/config/expectedStatusCodes") != std::string::npos);
}

TEST_CASE("plans are removed with their monitors, also those of cancelled checks, and have a bound in bytes") {
  performing db;
  checks::check_runner small(db.engine, {db.reading, db.secrets}, db.meter, {}, {}, 8192);
  auto const check = [&](scheduler::check_order order) {
    CHECK(std::holds_alternative<scheduler::check_report>(db.wait(small.run(std::move(order)))));
  };
  auto content = db.order(R"({"retryStrategy":{"maxRetries":0}})");
  check(content);
  check(content);
  CHECK(small.plans().size() == 1);
  small.remove(content.monitor);
  CHECK(small.plans().size() == 0);
  CHECK(small.plans().bytes() == 0);
  for (int i = 0; i < 40; ++i) {
    content.monitor = uuid::generate_v7();
    check(content);
  }
  CHECK(small.plans().size() > 1);
  CHECK(small.plans().size() < 10);
  CHECK(small.plans().bytes() <= 8192);

  // The check's secrets come from PostgreSQL, and the check is given up meanwhile.
  auto set = db.wanted_without_provider();
  set.config = R"({"auth":{"type":"bearer","token":"sealed-of-the-shop"}})";
  auto const made = db.make_monitor(set);
  auto sealed = db.order(made.set.config);
  sealed.monitor = made.id;
  asio::cancellation_signal signal;
  bool over = false;
  asio::co_spawn(
      db.io, db.runner.run(sealed),
      asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr, scheduler::check_end) { over = true; }));
  db.io.restart();
  db.io.poll_one();
  signal.emit(asio::cancellation_type::terminal);
  while (!over && db.io.run_one() > 0) {
  }
  CHECK(db.runner.plans().size() == 0);
}

TEST_CASE("a larger program than a cache of plans takes costs more of it") {
  performing db;
  auto const bytes_of = [&](std::string const& config) {
    auto order = db.order(config);
    order.monitor = uuid::generate_v7();
    auto const before = db.runner.plans().bytes();
    static_cast<void>(db.run(order));
    return db.runner.plans().bytes() - before;
  };
  auto const matching = [](std::string const& pattern) {
    return R"({"retryStrategy":{"maxRetries":0},"assertions":[{"source":"body","comparison":"matches","expected":")" +
           pattern + R"("}]})";
  };
  auto const none = bytes_of(R"({"retryStrategy":{"maxRetries":0}})"), small = bytes_of(matching("ok")),
             large = bytes_of(matching("a{1000}b{1000}c{1000}"));
  MESSAGE("bytes of a plan without, with a small and with a large expression: ", none, ", ", small, ", ", large);
  CHECK(none < 2048);
  CHECK(small > none + 65'536);
  CHECK(large > small + 262'144);
  CHECK(large < 1'048'576);
}

TEST_CASE("a redirect passes the gate of the address that it leads to") {
  performing db;
  checks::check_runner strict(db.engine, {db.reading, db.secrets}, db.meter, {.per_minute = 3});
  http_server bouncer({.address = "0.0.0.0"},
                      saying(answer_of(302, "Location: http://" + db.target.address() + "/\r\n")));
  int runs = 0, busy = 0;
  for (int i = 0; i < 4; ++i) {
    auto order = db.order(R"({"retryStrategy":{"maxRetries":0}})");
    order.monitor = uuid::generate_v7();
    order.interval = std::chrono::seconds(5);
    order.target = "http://127.0.0." + std::to_string(20 + i) + ":" + std::to_string(bouncer.port()) + "/";
    auto const end = db.wait(strict.run(order));
    ++(std::holds_alternative<scheduler::check_report>(end) ? runs : busy);
    if (auto const* reason = std::get_if<scheduler::skip_reason>(&end))
      CHECK(*reason == scheduler::skip_reason::target_busy);
  }
  CHECK(runs == 3);
  CHECK(busy == 1);
}

TEST_CASE("eight checks of one target run at a time, and a check that waits too long is missed") {
  performing db;
  // The server accepts connections and answers nothing.
  asio::ip::tcp::acceptor silent(db.io, {asio::ip::address_v4::loopback(), 0});
  auto silently = db.order(R"({"timeoutSeconds":1,"retryStrategy":{"maxRetries":0}})");
  silently.target = "http://127.0.0.1:" + std::to_string(silent.local_endpoint().port()) + "/";
  silently.may_wait = std::chrono::milliseconds(300);
  CHECK(db.run_many(silently, 11) == ended_checks{.runs = 8, .missed = 3});
  // The retry of an attempt that waits for its answer follows it before another check starts.
  silently.check_version = 2;
  silently.config = R"({"timeoutSeconds":1,"retryStrategy":{"maxRetries":1,"delaySeconds":1}})";
  silently.may_wait = std::chrono::milliseconds(1800);
  CHECK(db.run_many(silently, 9) == ended_checks{.runs = 8, .missed = 1, .attempts = 2});
}

TEST_CASE("when a target refuses all, others are checked between the attempts of a check") {
  performing db;
  db.target.close();
  auto refused = db.order(R"({"retryStrategy":{"maxRetries":2,"delaySeconds":1,"backoffFactor":1}})");
  // This is shorter than the pauses of eight checks that would keep their places.
  refused.may_wait = std::chrono::milliseconds(1500);
  auto const begin = steady::now();
  CHECK(db.run_many(refused, 60) == ended_checks{.runs = 60, .missed = 0, .attempts = 3});
  CHECK(steady::now() - begin < 5s);
}

TEST_CASE("a monitor that is not saved is checked with the project's variables, and shows no secret") {
  performing db;
  db.add_variable("KEY", "s3cret-of-the-shop", true);
  auto order = db.order(R"({"headers":{"x-key":"{{KEY}}"},"auth":{"type":"bearer","token":"given-in-the-body"},
                           "keywordInBody":"never there","capture":"on_failure","retryStrategy":{"maxRetries":0}})");
  order.monitor = {};
  auto const failed = db.test(order);
  CHECK(said(failed) == "assertion_failed");
  CHECK(db.target.last_request().find("s3cret-of-the-shop") != std::string::npos);
  CHECK(db.target.last_request().find("Bearer given-in-the-body") != std::string::npos);
  auto const details = checks::details_json(failed.result);
  CHECK(details.find("s3cret-of-the-shop") == std::string::npos);
  CHECK(details.find("given-in-the-body") == std::string::npos);
  for (char const* table : {"check_raw", "check_failures", "monitors", "alerts", "check_requests"}) {
    CAPTURE(table);
    CHECK(db.rows(table) == 0);
  }
  // The next test starts without any memory of it.
  order.config = R"({"retryStrategy":{"maxRetries":0}})";
  CHECK(said(db.test(order)) == "up");
}

TEST_CASE("the first attempt of an unsaved monitor has all its time, and no retry begins that might not end") {
  performing db;
  asio::ip::tcp::acceptor silent(db.io, {asio::ip::address_v4::loopback(), 0});
  struct {
    std::string timeout;
    std::uint32_t attempts;
    std::chrono::milliseconds longest;
  } const cases[] = {{"30", 1, 2s}, {"1", 2, 3s}};
  for (auto const& c : cases) {
    CAPTURE(c.timeout);
    auto order =
        db.order(R"({"timeoutSeconds":)" + c.timeout + R"(,"retryStrategy":{"maxRetries":3,"delaySeconds":1}})");
    order.target = "http://127.0.0.1:" + std::to_string(silent.local_endpoint().port()) + "/";
    order.interval = std::chrono::seconds(600);
    auto const begin = steady::now();
    auto const failed = db.test(order);
    CHECK(said(failed) == "first_byte_timeout");
    CHECK(failed.attempts == c.attempts);
    CHECK(steady::now() - begin >= c.longest);
    CHECK(steady::now() - begin < c.longest + 900ms);
  }
}
