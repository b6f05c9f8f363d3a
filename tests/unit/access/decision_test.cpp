#include "svc/access/decision.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace svc;
using namespace svc::access;

namespace {

using admitted = decision::admission_outcome;
using fetched = decision::fetch_outcome;
using read_outcome = decision::read_outcome;
using kind = decision_result::kind;

struct refusals final : decision::refusal_policy {
  std::optional<errc> refusal(token_record const& r) const override {
    if (r.state == token_state::usable) return std::nullopt;
    return errc::token_revoked;
  }
};

record_ptr record(std::int64_t epoch, token_state state = token_state::usable) {
  token_record r;
  r.caller.epoch = epoch;
  r.state = state;
  return std::make_shared<token_record const>(std::move(r));
}

/// Returns the request of one step, in one word.
std::string shown(action a) {
  constexpr char const* steps[] = {"fetch", "read", "lift", "admit", "local", "finish"};
  constexpr char const* purposes[] = {"use", "confirm", "refused", "anonymous"};
  constexpr char const* modes[] = {"none", "cached", "fresh", "forced"};
  std::string out = steps[static_cast<int>(a.content)];
  if (a.content == step::admit || a.content == step::local)
    out += std::string(" ") + purposes[static_cast<int>(a.about)];
  bool const about_record = a.content == step::admit && (a.about == purpose::use || a.about == purpose::confirm);
  if (about_record || a.content == step::read) out += std::string(" ") + modes[static_cast<int>(a.mode)];
  if (about_record || a.content == step::advance) out += " " + std::to_string(a.epoch);
  return out;
}

/// A decision and its last action.
struct talk {
  explicit talk(bool redis_lost = false) : d(refusals, redis_lost) {}
  refusals refusals{};
  decision d;

  void ends(action a, kind kind, bool keep, bool local = false) {
    CHECK(shown(a) == "finish");
    CHECK(d.verdict().content == kind);
    CHECK(d.verdict().keep == keep);
    CHECK(d.verdict().local == local);
  }
};

}  // namespace

TEST_CASE("a held record is admitted as cached and kept when Redis holds its epoch") {
  talk t;
  CHECK(shown(t.d.start(record(5))) == "admit use cached 5");
  t.ends(t.d.on_admit(admitted::ok, 5), kind::let_in, true);
  CHECK(t.d.record()->caller.epoch == 5);
}

TEST_CASE("nothing in memory: Redis is asked, then PostgreSQL") {
  struct {
    fetched found;
    record_ptr record;
    char const* next;
  } const table[] = {{fetched::record, record(5), "admit use cached 5"},
                     {fetched::record, record(5, token_state::revoked), "admit confirm cached 5"},
                     {fetched::negative, nullptr, "admit anonymous"},
                     {fetched::nothing, nullptr, "read cached"},
                     {fetched::lost, nullptr, "read fresh"}};
  for (auto const& row : table) {
    talk t;
    CHECK(shown(t.d.start(nullptr)) == "fetch");
    CHECK(shown(t.d.on_fetch(row.found, row.record)) == row.next);
  }
}

TEST_CASE("only a read sent after the arrival makes a record fresh") {
  for (bool const after : {false, true}) {
    talk t;
    t.d.start(nullptr);
    t.d.on_fetch(fetched::nothing, nullptr);
    CHECK(shown(t.d.on_read(read_outcome::record, record(5), after)) ==
          (after ? "admit use fresh 5" : "admit use cached 5"));
  }
}

TEST_CASE("an absence seen before the arrival is checked again, one seen after it is trusted") {
  talk t;
  t.d.start(nullptr);
  t.d.on_fetch(fetched::nothing, nullptr);
  CHECK(shown(t.d.on_read(read_outcome::unknown, nullptr, false)) == "read fresh");
  CHECK(shown(t.d.on_read(read_outcome::unknown, nullptr, true)) == "admit anonymous");
  t.ends(t.d.on_admit(admitted::ok, std::nullopt), kind::unknown, false);
}

TEST_CASE("a failed read is no answer about the token") {
  talk t;
  t.d.start(nullptr);
  t.d.on_fetch(fetched::nothing, nullptr);
  t.ends(t.d.on_read(read_outcome::failed, nullptr, true), kind::unavailable, false);
}

TEST_CASE("STALE: one read sent now decides") {
  struct {
    char const* name;
    std::optional<std::int64_t> held, after;
    bool keep;
  } const table[] = {{"the key is missing", std::nullopt, 6, true},
                     {"Redis knows better", 6, 6, true},
                     {"and better again meanwhile", 6, 7, false}};
  for (auto const& row : table) {
    CAPTURE(row.name);
    talk t;
    t.d.start(record(5));
    CHECK(shown(t.d.on_admit(admitted::stale, row.held)) == "read forced");
    CHECK(shown(t.d.on_read(read_outcome::record, record(6), true)) == "admit use forced 6");
    t.ends(t.d.on_admit(admitted::ok, row.after), kind::let_in, row.keep);
  }
}

TEST_CASE("STALE, and the token is gone or the re-read fails") {
  talk gone;
  gone.d.start(record(5));
  gone.d.on_admit(admitted::stale, 6);
  CHECK(shown(gone.d.on_read(read_outcome::unknown, nullptr, true)) == "admit anonymous");

  talk failed;
  failed.d.start(record(5));
  failed.d.on_admit(admitted::stale, 6);
  failed.ends(failed.d.on_read(read_outcome::failed, nullptr, true), kind::unavailable, false);
}

TEST_CASE("STALE again after the re-read does not loop") {
  talk t;
  t.d.start(record(5));
  t.d.on_admit(admitted::stale, 6);
  t.d.on_read(read_outcome::record, record(6), true);
  t.ends(t.d.on_admit(admitted::stale, 7), kind::unavailable, false);
}

TEST_CASE("a database that is older than Redis is advanced once, then read once more") {
  talk t;
  t.d.start(record(9));
  t.d.on_admit(admitted::stale, 10);
  CHECK(shown(t.d.on_read(read_outcome::record, record(9), true)) == "lift 10");
  SUBCASE("lifted") {
    CHECK(shown(t.d.on_advance(true)) == "read forced");
    CHECK(shown(t.d.on_read(read_outcome::record, record(11), true)) == "admit use forced 11");
    t.ends(t.d.on_admit(admitted::ok, 11), kind::let_in, true);
  }
  SUBCASE("not lifted") {
    t.ends(t.d.on_advance(false), kind::unavailable, false);
  }
  SUBCASE("still behind") {
    t.d.on_advance(true);
    t.ends(t.d.on_read(read_outcome::record, record(9), true), kind::unavailable, false);
  }
}

TEST_CASE("an epoch equal to Redis's is enough: it is not advanced") {
  talk t;
  t.d.start(record(9));
  t.d.on_admit(admitted::stale, 10);
  CHECK(shown(t.d.on_read(read_outcome::record, record(10), true)) == "admit use forced 10");
}

TEST_CASE("an unusable record is confirmed first, then counted as refused") {
  for (bool const admitted_ : {true, false}) {
    talk t;
    CHECK(shown(t.d.start(record(5, token_state::revoked))) == "admit confirm cached 5");
    CHECK(shown(t.d.on_admit(admitted::ok, 5)) == "admit refused");
    t.ends(t.d.on_admit(admitted_ ? admitted::ok : admitted::denied, std::nullopt),
           admitted_ ? kind::refused : kind::limited, true);
    CHECK(t.d.verdict().refusal == errc::token_revoked);
  }
}

TEST_CASE("a full window: the record is confirmed all the same, unless the denial is remembered") {
  talk reported;
  reported.d.start(record(5));
  reported.ends(reported.d.on_admit(admitted::denied, 5), kind::limited, true);

  talk remembered;
  remembered.d.start(record(5));
  remembered.ends(remembered.d.on_admit(admitted::denied, std::nullopt), kind::limited, false);
}

TEST_CASE("Redis silent at the admission: a cached record is read again, a read one decides here") {
  talk cached;
  cached.d.start(record(5));
  CHECK(shown(cached.d.on_admit(admitted::lost, std::nullopt)) == "read fresh");
  CHECK(shown(cached.d.on_read(read_outcome::record, record(6), true)) == "local use");
  cached.ends(cached.d.on_local(true), kind::let_in, false, true);

  talk fresh;
  fresh.d.start(nullptr);
  fresh.d.on_fetch(fetched::nothing, nullptr);
  fresh.d.on_read(read_outcome::record, record(6), true);
  CHECK(shown(fresh.d.on_admit(admitted::lost, std::nullopt)) == "local use");
  fresh.ends(fresh.d.on_local(false), kind::limited, false, true);
}

TEST_CASE("Redis silent when a refusal is counted: this worker counts") {
  for (auto const admission : {admitted::lost, admitted::stale}) {
    talk t;
    t.d.start(record(5, token_state::revoked));
    t.d.on_admit(admitted::ok, 5);
    CHECK(shown(t.d.on_admit(admission, std::nullopt)) == "local refused");
    t.ends(t.d.on_local(true), kind::refused, true, true);
  }
}

TEST_CASE("Redis known to be lost: only this request's own read is good, whatever is in memory") {
  for (auto const& memory : {record(5), record(5, token_state::disabled), record_ptr()}) {
    talk lost(true);
    CHECK(shown(lost.d.start(memory)) == "read fresh");
    CHECK(shown(lost.d.on_read(read_outcome::record, record(6), true)) == "local use");
    lost.ends(lost.d.on_local(true), kind::let_in, false, true);
    CHECK(lost.d.record()->caller.epoch == 6);
  }

  talk refused(true);
  refused.d.start(record(5));
  CHECK(shown(refused.d.on_read(read_outcome::record, record(6, token_state::revoked), true)) == "local refused");

  talk stranger(true);
  stranger.d.start(nullptr);
  CHECK(shown(stranger.d.on_read(read_outcome::unknown, nullptr, true)) == "local anonymous");
  stranger.ends(stranger.d.on_local(true), kind::unknown, false, true);
}
