// Tests the tests of providers: on the delivering thread, outside the queue, at the provider's pace.
#include "delivery_fixture.hpp"
#include "support/comes_true.hpp"

#include "svc/monitoring/notifications/provider_tests.hpp"
#include "svc/store/delivery/provider_test_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>

#include <atomic>
#include <thread>

using namespace svc;
using namespace svc::test;

namespace {

/// The delivering thread, with a sender whose attempts end when they are released.
struct sending_thread {
  explicit sending_thread(bool hangs) : hangs_(hangs) {}
  ~sending_thread() {
    io.stop();
    thread_.join();
  }

  static task<notifications::attempt> attempt(sending_thread* thread, notifications::provider_config config) {
    ++thread->begun;
    if (auto const* mail = std::get_if<notifications::email_config>(&config))
      thread->recipients += static_cast<int>(mail->texts.size());
    steady_timer pause(thread->io);
    while (thread->hangs_) {
      pause.expires_after(milliseconds(2));
      co_await pause.async_wait(awaiting);
    }
    if (thread->fails) throw std::runtime_error("a bug");
    co_return notifications::attempt{
        .came = {.state = notifications::fate::taken, .cause = notifications::reason::delivered, .status = 204}};
  }
  void release() { hangs_ = false; }

  account book{notifications::provider_tests::terms()};
  asio::io_context io{1};
  std::atomic<int> begun{0}, recipients{0};
  std::atomic<bool> goes_on{true}, fails{false};
  notifications::provider_tests tests{
      io, [this](auto target, auto, unsigned, auto) { return attempt(this, std::move(target)); },
      [this] { return goes_on.load(); }, &book};

 private:
  std::atomic<bool> hangs_;
  asio::executor_work_guard<executor> policy_{io.get_executor()};
  std::thread thread_{[this] { io.run(); }};
};

/// The requesters of tests, on a separate thread.
struct asking_thread {
  struct outcomes {
    int delivered = 0, rate_limited = 0, overloaded = 0, unanswered = 0;
    int all() const { return delivered + rate_limited + overloaded + unanswered; }
  };

  static task<> ask(asking_thread* thread, uuid project, milliseconds patience,
                    notifications::provider_config config) {
    try {
      auto held = thread->thread.tests.enter(project, type_of(config));
      result<notifications::outcome> came = errc::overloaded;
      if (held)
        came = co_await thread->thread.tests.run(std::move(*held), std::move(config), {.project = {.id = project}},
                                                 deadline::after(patience));
      else
        came = held.error();
      if (came)
        ++thread->got.delivered;
      else
        ++(came.error().code == errc::rate_limited ? thread->got.rate_limited : thread->got.overloaded);
    } catch (unavailable const&) {
      ++thread->got.unanswered;
    }
  }
  void begin(uuid project, milliseconds patience = milliseconds(10'000),
             notifications::provider_config config = notifications::slack_config{"https://a.test/"}) {
    asio::co_spawn(io, ask(this, project, patience, std::move(config)), asio::detached);
  }
  /// Runs until that many are answered.
  void until(int answered) {
    io.restart();
    for (auto const end = deadline::after(std::chrono::seconds(20)); got.all() < answered && !end.passed();)
      io.run_one_for(milliseconds(50));
    REQUIRE(got.all() == answered);
  }

  sending_thread& thread;
  asio::io_context io{1};
  outcomes got{};
};

uuid const one_project = uuid::generate_v7();

struct testing_shop : telling_shop {
  store::provider_test_store tests{pool};
  std::optional<milliseconds> turn(uuid provider, milliseconds pace = milliseconds(1000)) {
    return wait(tests.take_turn(provider, pace, soon()));
  }
  void record(store::provider_test test) { wait(tests.record(as_ed(), std::move(test), soon())); }
  /// Records the answer of a test of the provider.
  void asks_for_half_an_hour(uuid provider) {
    record({.provider = {{provider, 1}},
            .name = "one",
            .type = "webhook",
            .reason = "rate_limited",
            .status = 429,
            .not_before = std::chrono::minutes(30)});
  }
  std::int64_t due_in() {
    return number(
        {{"test_due_in", "SELECT ceil(extract(epoch FROM max(due_at) - now()))::int8 FROM provider_queue"}});
  }
};

}  // namespace

TEST_CASE("a test's outcome returns to the thread that asked, and a bug in it does not") {
  sending_thread sends(false);
  asking_thread asks{sends};
  asks.begin(one_project);
  asks.until(1);
  CHECK(asks.got.delivered == 1);
  sends.fails = true;
  asks.begin(one_project);
  asks.until(2);
  CHECK(asks.got.unanswered == 1);
  sends.goes_on = false;
  asks.begin(one_project);
  asks.until(3);
  CHECK(asks.got.overloaded == 1);
}

TEST_CASE("ten thousand tests at once of a target that never answers hold four places, and other projects theirs") {
  sending_thread sends(true);
  asking_thread asks{sends};
  for (int i = 0; i < 10'000; ++i) asks.begin(one_project);
  asks.until(10'000 - 4);
  CHECK(asks.got.rate_limited == 10'000 - 4);
  for (int i = 0; i < 4; ++i) {
    auto const other = uuid::generate_v7();
    for (int j = 0; j < 4; ++j) asks.begin(other);
  }
  asks.until(10'000);
  CHECK(asks.got.overloaded == 4);
  CHECK(comes_true([&] { return sends.begun == 16; }, std::chrono::seconds(10)));
  CHECK(sends.book.held() == 16);
  CHECK(sends.book.sums_of({.project = one_project}).project == 4);
  CHECK(sends.book.refused() == 10'000);
  sends.release();
  asks.until(10'016);
  CHECK(asks.got.delivered == 16);
  CHECK(sends.book.held() == 0);
  // All places are free again.
  asks.begin(one_project);
  asks.until(10'017);
  CHECK(asks.got.delivered == 17);
}

TEST_CASE("tests of mail leave threads to the queue: two at once, of one recipient each") {
  sending_thread sends(true);
  asking_thread asks{sends};
  notifications::email_config const mail{.texts = {"a@a.test", "b@a.test", "c@a.test"}};
  for (int i = 0; i < 3; ++i) asks.begin(uuid::generate_v7(), milliseconds(10'000), mail);
  asks.until(1);
  CHECK(asks.got.overloaded == 1);
  sends.release();
  asks.until(3);
  CHECK(asks.got.delivered == 2);
  CHECK(sends.recipients == 2);
  asks.begin(one_project, milliseconds(10'000), mail);
  asks.until(4);
  CHECK(asks.got.delivered == 3);
}

TEST_CASE("a request that waits for a thread without an answer gives up at the deadline") {
  sending_thread sends(true);
  asking_thread asks{sends};
  asks.begin(one_project, milliseconds(20));
  asks.until(1);
  CHECK(asks.got.unanswered == 1);
  sends.release();
  for (auto const end = deadline::after(std::chrono::seconds(5)); sends.begun < 1 && !end.passed();) asks.io.poll();
}

TEST_CASE("tests keep the provider's pace, and so does the message after them") {
  testing_shop db;
  auto const provider = db.make_provider("webhook");
  constexpr milliseconds pace = std::chrono::minutes(1);
  CHECK(db.turn(provider, pace) == milliseconds(0));
  // A test waits five seconds at most.
  CHECK_FALSE(db.turn(provider, pace));
  db.later("57 s");
  auto const second = db.turn(provider, pace);
  REQUIRE(second);
  CHECK(*second <= milliseconds(3000));
  CHECK(db.claim().empty());
  auto const monitor = db.make_notified({provider}).id;
  db.fails(monitor);
  CHECK(db.claim().empty());
  CHECK(db.due_in() > 30);
  CHECK(db.due_in() <= 63);
  db.later("63 s");
  CHECK(db.claim().size() == 1);
}

TEST_CASE("a test delays a message that waits for its turn, but not one whose turn has started") {
  testing_shop db;
  auto const provider = db.make_provider("webhook");
  auto const monitor = db.make_notified({provider}).id;
  db.fails(monitor);
  auto const first = db.claim_one();
  db.fails_to_send(first);
  CHECK(db.due_in() <= 60);
  db.turn(provider, std::chrono::seconds(90));
  CHECK(db.due_in() > 60);
  CHECK(db.due_in() <= 90);
  CHECK(db.words("SELECT state || ' ' || attempt FROM messages") == "waiting 1");
  db.later("90 s");
  db.turn(provider, std::chrono::seconds(90));
  auto const again = db.claim_one();
  CHECK(again.id == first.id);
  CHECK(again.attempt == 2);
}

TEST_CASE("a pause that a provider asks a test for holds for its messages and the next test") {
  testing_shop db;
  auto const provider = db.make_provider("webhook");
  auto const monitor = db.make_notified({provider}).id;
  db.fails(monitor);
  db.fails_to_send(db.claim_one());
  db.turn(provider);
  db.asks_for_half_an_hour(provider);
  CHECK(db.due_in() > 1700);
  CHECK(db.due_in() <= 1800);
  CHECK_FALSE(db.turn(provider));
  db.later("30 min");
  CHECK(db.turn(provider));
}

TEST_CASE("a message that ends leaves a test its turn, and the pause that it was asked for") {
  testing_shop db;
  auto const provider = db.make_provider("webhook");
  auto const monitor = db.make_notified({provider}).id;
  for (bool const sent : {true, false}) {
    CAPTURE(sent);
    db.fails(monitor);
    auto const message = db.claim_one();
    db.turn(provider);
    db.asks_for_half_an_hour(provider);
    auto const next_look = (sent ? db.sent(message) : db.fails_to_send(message)).next_look;
    CHECK(next_look > std::chrono::minutes(29));
    CHECK_FALSE(db.turn(provider));
    db.recovers(monitor);
    CHECK(db.claim().empty());
    db.later("30 min");
    for (auto const& each : db.claim()) db.sent(each);
    db.later("1 min");
  }
}

TEST_CASE("the outcome of a test is the provider's health, unless it was changed in the meantime, and is audited") {
  testing_shop db;
  auto const provider = db.make_provider("webhook");
  auto const health = [&db] {
    return db.words(
        "SELECT concat_ws(' ', health, last_error_reason, last_error_status, (last_used_at IS NOT NULL)::text)"
        " FROM notification_providers");
  };
  store::provider_test const refused{
      .provider = {{provider, 1}}, .name = "one", .type = "webhook", .reason = "refused", .status = 500};
  auto changed = refused;
  changed.provider->version = 2;
  db.record(changed);
  CHECK(health() == "unknown false");
  db.record(refused);
  CHECK(health() == "failing refused 500 false");
  auto taken = refused;
  taken.taken = true;
  taken.reason = "delivered";
  db.record(taken);
  CHECK(health() == "ok refused 500 true");
  auto unsent = refused;
  unsent.sent = false;
  db.record(unsent);
  CHECK(health() == "ok refused 500 true");
  db.record({.name = "none", .type = "email", .reason = "smtp_unconfigured"});
  CHECK(db.audit_rows("notification_provider.tested") == 5);
  CHECK(db.words("SELECT concat_ws(' ', (resource_id IS NULL)::text, details ->> 'name', details ->> 'reason') FROM "
                 "audit_log"
                 " WHERE action = 'notification_provider.tested' ORDER BY created_at DESC LIMIT 1") ==
        "true none smtp_unconfigured");
}

TEST_CASE("the queue follows a provider's own grouping") {
  testing_shop db;
  auto const provider = db.make_provider("slack");
  for (auto const* group : {"0", "300"}) {
    CAPTURE(group);
    db.as_owner("UPDATE notification_providers SET group_seconds = " + std::string(group));
    db.fails(db.make_notified({provider}, std::string("first ") + group).id);
    db.fails(db.make_notified({provider}, std::string("second ") + group).id);
    auto const first = db.claim_one();
    CHECK(first.alerts.size() == 1);
    db.sent(first);
    auto const second = db.claim();
    CHECK(second.size() == (std::string_view(group) == "0" ? 1 : 0));
    for (auto const& each : second) db.sent(each);
  }
}
