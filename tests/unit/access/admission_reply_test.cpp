#include "svc/access/admission.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::access;
using redis::reply;

namespace {

reply text(char const* t) {
  reply r;
  r.kind = reply::type::bulk;
  r.text = t;
  return r;
}

reply number(std::int64_t n) {
  reply r;
  r.kind = reply::type::integer;
  r.number = n;
  return r;
}

redis::outcome answered(std::vector<reply> parts) {
  redis::outcome o;
  o.state = redis::delivery::answered;
  o.value.kind = reply::type::array;
  o.value.elements = std::move(parts);
  return o;
}

admission_reply read(redis::outcome const& o) {
  return read_admission_reply(o, {rate_class::cli, {1000, 60}});
}

}  // namespace

TEST_CASE("an admission's numbers arrive where the headers expect them") {
  auto const ok = read(answered({text("OK"), text("7"), number(100), number(999), number(160), number(0)}));
  CHECK(ok.verdict == admission_verdict::ok);
  CHECK(ok.epoch == 7);
  CHECK(ok.decision.admitted);
  CHECK(ok.decision.remaining == 999);
  CHECK(ok.decision.now_micros == 100);
  CHECK(ok.decision.reset_micros == 160);

  auto const denied = read(answered({text("DENIED"), text("7"), number(100), number(0), number(160), number(161)}));
  CHECK(denied.verdict == admission_verdict::denied);
  CHECK_FALSE(denied.decision.admitted);
  CHECK(denied.decision.retry_micros == 161);
}

TEST_CASE("the decision of two windows is the one that a client must heed") {
  class_window const probe{rate_class::probe, {20, 60}};
  auto const read_both = [&](char const* verdict, std::int64_t cli_retry, std::int64_t probe_retry) {
    auto const got = answered({text(verdict), text("7"), number(100), number(999), number(160), number(cli_retry),
                               number(101), number(19), number(161), number(probe_retry)});
    return read_admission_reply(got, {rate_class::cli, {1000, 60}}, probe);
  };
  auto const ok = read_both("OK", 0, 0);
  CHECK(ok.verdict == admission_verdict::ok);
  CHECK(ok.decision.which == rate_class::probe);
  CHECK(ok.decision.admitted);
  CHECK(ok.decision.remaining == 19);
  CHECK(ok.decision.now_micros == 101);
  CHECK(ok.decision.reset_micros == 161);
  CHECK(ok.decision.window == probe.window);
  auto const full = read_both("DENIED", 170, 0);
  CHECK(full.verdict == admission_verdict::denied);
  CHECK(full.decision.which == rate_class::cli);
  CHECK_FALSE(full.decision.admitted);
  CHECK(full.decision.retry_micros == 170);
  CHECK(read_both("DENIED", 0, 171).decision.which == rate_class::probe);

  auto const outcome = answered({text("DENIED"), text("7"), number(100), number(0), number(160), number(170)});
  auto const first = read_admission_reply(outcome, {rate_class::cli, {1000, 60}}, probe);
  CHECK(first.decision.which == rate_class::cli);
  CHECK_FALSE(first.decision.admitted);
  auto const torn = answered({text("OK"), text("7"), number(100), number(999), number(160), number(0), number(1)});
  CHECK(read_admission_reply(torn, {rate_class::cli, {1000, 60}}, probe).verdict == admission_verdict::lost);
}

TEST_CASE("stale gives the stored epoch, or says that there is none") {
  CHECK(read(answered({text("STALE"), text("9")})).epoch == 9);
  auto const none = read(answered({text("STALE"), text("")}));
  CHECK(none.verdict == admission_verdict::stale);
  CHECK_FALSE(none.epoch);
}

TEST_CASE("an impossible reply of the script decides nothing") {
  redis::outcome missed;
  missed.state = redis::delivery::missed;
  CHECK(read(missed).verdict == admission_verdict::lost);
  CHECK(read(redis::outcome{}).verdict == admission_verdict::lost);
  CHECK(read(answered({})).verdict == admission_verdict::lost);
  CHECK(read(answered({text("OK"), text("7")})).verdict == admission_verdict::lost);
  CHECK(read(answered({text("ok"), text("7"), number(1), number(1), number(1), number(1)})).verdict ==
        admission_verdict::lost);
  auto error = answered({});
  error.value.kind = reply::type::error;
  error.value.text = "OOM command not allowed";
  CHECK(read(error).verdict == admission_verdict::lost);
  CHECK_FALSE(read(error).moving);
}

TEST_CASE("a slot that is being moved in a Redis Cluster decides nothing either, and is no fault of Redis") {
  redis::outcome torn{redis::delivery::answered, {.kind = reply::type::error, .text = "TRYAGAIN Multiple keys"}};
  CHECK(read(torn).verdict == admission_verdict::lost);
  CHECK(read(torn).moving);
  torn.state = redis::delivery::missed;
  CHECK_FALSE(read(torn).moving);
}
