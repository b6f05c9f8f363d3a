// Clients use tokens all the time, on all workers of three instances, while the tokens are changed and Redis is
// stopped, killed or cut off. A late use is a request that starts after the answer to the change and sees the earlier
// state: a dead token that is let in, or an enabled one that is refused.
#include "late_episode.hpp"

namespace svc::test {
namespace {

/// The number of changes in each case.
int const wanted_changes = long_form("TEST_LATE", 5);
unsigned const seed = static_cast<unsigned>(long_form("TEST_LATE_SEED", 1));

using harm = std::function<void(late_episode&)>;
using change_names = std::vector<std::string>;

/// The five changes of an episode, and those of the next one.
change_names const all_kinds{"revocation", "disabling",  "enabling",  "role change", "removal",
                             "revocation", "revocation", "disabling", "enabling",    "role change"};
/// One quick request makes each of these changes.
change_names const quick_kinds{"revocation", "disabling", "enabling", "revocation", "disabling"};
constexpr std::size_t changes_at_once = 5;
/// Time for which users and changes run before a fault.
constexpr milliseconds lead{60};

struct late_case {
  late_fixture fixture{};
  std::vector<std::unique_ptr<change_maker>> buffers{};

  late_case() {
    for (std::size_t i = 0; i < changes_at_once; ++i) buffers.push_back(std::make_unique<change_maker>(fixture));
  }

  std::vector<late_change> prepare(change_names const& names, int first) {
    std::vector<std::future<late_change>> coming;
    for (std::size_t i = 0; i < changes_at_once; ++i) {
      auto const n = static_cast<std::size_t>(first) + i;
      coming.push_back(std::async(std::launch::async, [this, i, n, kind = names[n % names.size()]] {
        return buffers[i]->prepare(kind, n % late_fixture::instances);
      }));
    }
    std::vector<late_change> out;
    for (auto& c : coming) out.push_back(c.get());
    return out;
  }
};

late_case& shared_case() {
  static late_case shared;
  return shared;
}

constexpr std::size_t shown = 1000;  ///< lines of a long list that are shown
constexpr auto lost_line = "Redis is lost", held_line = "an answer about a change was held";

late_report run(change_names const& names, harm const& does) {
  auto& late_case = shared_case();
  int const lost = late_case.fixture.lines_with(lost_line), held = late_case.fixture.lines_with(held_line);
  std::mt19937 dice(seed);
  late_report out;
  late_case.fixture.take_repeats();
  for (int made = 0; made < wanted_changes; made += static_cast<int>(changes_at_once)) {
    late_episode episode(late_case.fixture, late_case.prepare(names, made), made, dice);
    does(episode);
    episode.finish(out);
  }
  std::sort(out.took.begin(), out.took.end());
  out.repeats = late_case.fixture.take_repeats();
  out.losses = late_case.fixture.lines_with(lost_line) - lost;
  out.held = late_case.fixture.lines_with(held_line) - held;
  return out;
}

void check_none_late(late_report const& seen) {
  std::string kinds_late;
  for (auto const& [kind, count] : seen.late) kinds_late += " " + std::to_string(count) + " " + kind;
  MESSAGE(seen.took.size() << " changes, answered within " << seen.took[seen.took.size() / 2].count()
                           << " ms (median), " << seen.took.back().count() << " ms (slowest), " << seen.unanswered
                           << " not answered, " << seen.held << " held; Redis lost by workers " << seen.losses
                           << " times; " << seen.sum.before << " uses before, " << seen.sum.during
                           << " during, at least " << seen.sum.fewest_after << " after each, " << seen.sum.others
                           << " undecided, " << seen.sum.accepted_after << " late, of"
                           << (kinds_late.empty() ? " none" : kinds_late));
  if (!seen.slow.empty()) MESSAGE("slow: " << seen.slow.substr(0, shown));
  if (!seen.repeats.empty())
    MESSAGE(std::count(seen.repeats.begin(), seen.repeats.end(), ';')
            << " sent again after a 503: " << seen.repeats.substr(0, shown));
  if (!seen.traces.empty()) MESSAGE(seen.traces);
  CHECK(seen.failures == "");
  CHECK(seen.unanswered <= wanted_changes / 5);
  CHECK(seen.sum.accepted_after == 0);
  CHECK(seen.sum.refused_before == 0);
  CHECK(seen.sum.fewest_after >= static_cast<int>(late_fixture::instances * users_of_instance));
}

/// Checks a case in which Redis was lost.
void check_none_late_without_redis(late_report const& seen) {
  check_none_late(seen);
  CHECK(seen.losses > 0);
  // This does not hold for each change: on a busy machine some wait longer.
  CHECK(seen.took[seen.took.size() / 2] <= answers_within);
}

/// Makes most changes close to the time of the loss of Redis, and some at any time until Redis returns. The first
/// change is made after the loss, so that there is an answer to hold.
void make_changes_around(late_episode& e, microseconds lost, microseconds back) {
  for (auto& time : e.durations) {
    time = e.happens(.6) ? lost + e.draw(milliseconds(-15), milliseconds(5))
                         : e.draw(lost - milliseconds(50), back + milliseconds(100));
  }
  e.durations[0] = lost + e.draw(milliseconds(10), milliseconds(60));
}

TEST_CASE("no late use: Redis stopped for 0.2 to 3 s around changes") {
  auto const seen = run(all_kinds, [](late_episode& e) {
    auto const back = lead + (e.happens(.8) ? e.draw(milliseconds(200), milliseconds(800))
                                            : e.draw(milliseconds(800), milliseconds(3000)));
    make_changes_around(e, lead, back);
    e.go();
    e.sleep_until(lead);
    e.fixture().redis.stop();
    e.mark("Redis stopped");
    e.sleep_until(back);
    e.fixture().redis.go_on();
    e.mark("it went on");
  });
  check_none_late_without_redis(seen);
  CHECK(seen.held > 0);
}

/// Kills Redis now, and starts it again later, empty or with its saved data.
void kill_and_start(late_episode& e, microseconds pause) {
  bool const knows = e.happens(.7);
  e.fixture().redis.kill();
  e.mark("Redis killed");
  std::this_thread::sleep_for(pause);
  e.fixture().redis.start(knows);
  e.mark(knows ? "started with an older state" : "started empty");
}

microseconds short_or_long(late_episode& e) {
  return e.happens(.6) ? e.draw({}, milliseconds(20)) : e.draw({}, milliseconds(900));
}

TEST_CASE("no late use: Redis killed during changes, back empty or with an older state") {
  auto const seen = run(all_kinds, [](late_episode& e) {
    auto const pause = short_or_long(e);
    make_changes_around(e, lead, lead + pause);
    e.fixture().redis.save();
    e.go();
    e.sleep_until(lead);
    kill_and_start(e, pause);
  });
  check_none_late_without_redis(seen);
}

TEST_CASE("no late use: one instance cut off from Redis, its traffic stalled or dropped") {
  auto const seen = run(all_kinds, [](late_episode& e) {
    auto const back = lead + e.draw(milliseconds(200), milliseconds(1500));
    make_changes_around(e, lead, back);
    std::pair<silence, char const*> const ways[] = {
        {silence::stalled, "stalled"}, {silence::stalled_answers, "answers stalled"}, {silence::dropped, "dropped"}};
    auto const& [settings, name] = ways[static_cast<std::size_t>(e.draw({}, microseconds(2)).count())];
    e.go();
    e.sleep_until(lead);
    e.fixture().proxy.fall_silent(settings);
    e.mark(std::string(name) + " at instance 2");
    e.sleep_until(back);
    e.fixture().proxy.fall_silent(silence::none);
    e.mark("over");
  });
  check_none_late_without_redis(seen);
}

TEST_CASE("no late use: Redis lost 0.2 to 4 ms after an answer, the records just read") {
  auto const seen = run(quick_kinds, [](late_episode& e) {
    bool const killed = e.happens(.5);
    auto const count = static_cast<int>(1 + e.draw({}, microseconds(changes_at_once - 1)).count());
    auto const behind = e.draw(microseconds(200), milliseconds(4));
    auto const lasting = e.draw(milliseconds(300), milliseconds(1200));
    if (killed) e.fixture().redis.save();
    e.go();
    e.await_answers(count);
    std::this_thread::sleep_for(behind);
    if (killed) return kill_and_start(e, short_or_long(e));
    e.fixture().redis.stop();
    e.mark("Redis stopped");
    std::this_thread::sleep_for(lasting);
    e.fixture().redis.go_on();
    e.mark("it went on");
  });
  check_none_late_without_redis(seen);
}

/// As long as this object lives, each COMMIT of a change takes about as long as a request may. Afterwards the
/// instance that made the change is busy with something else.
class slow_commits {
 public:
  explicit slow_commits(late_fixture const& fixture) : fixture_(fixture) {
    fixture_.fleet.sql(R"(
CREATE FUNCTION commit_late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_sleep(CASE WHEN random() < 0.5 THEN 1.5 + 0.7 * random() ELSE 1.9 + 0.12 * random() END);
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER commit_late AFTER INSERT ON subject_outbox DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION commit_late())");
    arm("change.after_commit=delay:100");
  }
  ~slow_commits() {
    arm({});
    fixture_.fleet.sql("DROP TRIGGER commit_late ON subject_outbox; DROP FUNCTION commit_late");
  }
  slow_commits(slow_commits const&) = delete;
  slow_commits& operator=(slow_commits const&) = delete;

 private:
  void arm(std::string const& subject) const {
    for (std::size_t i = 0; i < late_fixture::instances; ++i)
      CHECK(fixture_.pages(i).post("/debug/failpoints", subject).status == 200);
  }

  late_fixture const& fixture_;
};

TEST_CASE("no late use: COMMITs of 1.5 to 2.2 s, Redis healthy") {
  auto const seen = run(all_kinds, [](late_episode& e) {
    for (auto& time : e.durations) time = e.draw({}, milliseconds(30));
    slow_commits const slow(e.fixture());
    e.go();
    e.await_answers(static_cast<int>(e.durations.size()));
  });
  check_none_late(seen);
  CHECK(seen.took.front() >= milliseconds(1500));
}

TEST_CASE("no late use: Redis restarts with an older state during a read, and is not trusted yet") {
  auto& fixture = shared_case().fixture;
  auto const tenant = fixture.fleet.make_tenant();
  auto owner = fixture.client(0, tenant.token);
  auto const made = body_of(owner.post("/api/cli-tokens", R"({"name":"victim"})"));
  auto const key = text_of(made, "/token/key");
  REQUIRE(owner.get("/api/auth/whoami").status == 200);
  fixture.redis.save();
  // The new Redis gets no epochs until the read has returned its view from before the change.
  for (std::size_t i = 0; i < late_fixture::instances; ++i) {
    auto const slow = std::string(i == 1 ? ",auth.after_read=delay:1200*1" : "");
    CHECK(fixture.pages(i).post("/debug/failpoints", "redis.before_mend=delay:3000*2" + slow).status == 200);
  }
  auto const use = [&fixture, &key] { return fixture.client(1, key).get("/api/auth/whoami").status; };
  auto first = std::async(std::launch::async, use);
  std::this_thread::sleep_for(milliseconds(200));
  CHECK(owner.del("/api/cli-tokens/" + text_of(made, "/token/id")).status == 204);
  // There is a use on each worker, and one of them joins the read.
  std::vector<std::future<int>> late;
  for (int i = 0; i < 4; ++i) late.push_back(std::async(std::launch::async, use));
  std::this_thread::sleep_for(milliseconds(200));
  fixture.redis.kill();
  fixture.redis.start(true);
  CHECK(first.get() < 500);
  for (auto& future : late) CHECK(future.get() == 401);
  for (std::size_t i = 0; i < late_fixture::instances; ++i)
    CHECK(fixture.pages(i).post("/debug/failpoints", "").status == 200);
  CHECK(comes_true([&] { return fixture.trusts(); }, patience));
}

TEST_CASE("late uses are seen where a revocation changes no epoch") {
  auto& late_case = shared_case();
  std::mt19937 dice(seed);
  auto changes = late_case.prepare(quick_kinds, 0);
  for (auto& c : changes) {
    c.ending.end = [&late_case, key = c.ending.key] {
      late_case.fixture.fleet.sql(
          "UPDATE tokens SET revoked_at = clock_timestamp() WHERE id IN"
          " (SELECT token_id FROM token_secrets WHERE digest = sha256('" +
          key + "'))");
      return std::string();
    };
  }
  late_report seen;
  late_episode episode(late_case.fixture, std::move(changes), 0, dice);
  episode.go();
  episode.finish(seen);
  CHECK(seen.failures == "");
  CHECK(seen.sum.accepted_after > 0);
}

}  // namespace
}  // namespace svc::test
