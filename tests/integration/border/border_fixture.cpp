#include "integration/border/border_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>

namespace svc::test {
namespace {

/// An exchange that took this long may have met a deadline because the machine was busy, for example with 128
/// concurrent handshakes.
constexpr std::chrono::milliseconds near_deadline{400}, hang{1000};

std::vector<std::string> half_a_second() {
  std::vector<std::string> out;
  for (std::string const key : {"TLS_TIMEOUT", "HEAD_TIMEOUT", "IDLE_TIMEOUT", "BODY_WINDOW", "BODY_TIMEOUT",
                                "WRITE_TIMEOUT", "LINGER_TIMEOUT"})
    out.push_back("SVC_HTTP_" + key + "=500ms");
  return out;
}

bool ours(int status) {
  return status < 500 || status == 501 || status == 505;
}

/// Returns the play's complaint, then the complaints about every exchange.
std::string evaluate(play const& p, raw_outcome const& got) {
  if (auto said = p.complaint(got); !said.empty()) return said;
  return std::all_of(got.statuses.begin(), got.statuses.end(), ours) ? "" : "5xx: " + got.text();
}

}  // namespace

border_fixture::border_fixture() : fleet_(1, half_a_second()), tenant_(fleet_.make_tenant()) {}

std::string border_fixture::address() const {
  auto const url = fleet_.url(0);
  return url.substr(url.find("//") + 2);
}

border_fixture& border() {
  static border_fixture fixture;
  return fixture;
}

play expect(std::string name, std::vector<std::string> writes, std::string const& expected) {
  raw_exchange exchange{.writes = std::move(writes)};
  if (!expected.ends_with("close")) {
    exchange.probe_id = "probe-behind-the-case";
    exchange.probe = get("X-Request-Id: " + exchange.probe_id + "\r\n");
    exchange.answers = static_cast<std::size_t>(std::count(expected.begin(), expected.end(), ' ')) + 1;
  }
  return {std::move(name), std::move(exchange), [expected](raw_outcome const& got) {
            return got.text() == expected ? std::string() : "got " + got.text() + ", expected " + expected;
          }};
}

void play_all(std::string const& subject, std::size_t count, std::size_t at_once,
              std::function<play(std::size_t)> const& make) {
  std::vector<std::size_t> late;
  std::size_t answers = 0;
  std::chrono::milliseconds longest{};
  auto const begun = std::chrono::steady_clock::now();
  raw_player crowd(border().address(), raw_player::security::tls, at_once);
  crowd.play(
      count, [&](std::size_t i) { return make(i).exchange; },
      [&](std::size_t i, raw_outcome const& got) {
        auto const p = make(i);
        auto const said = evaluate(p, got);
        answers += got.statuses.size();
        longest = std::max(longest, got.took);
        if (got.took > hang || (!said.empty() && got.took >= near_deadline)) return late.push_back(i);
        INFO(p.name);
        CHECK(said == "");
      });
  raw_player alone(border().address(), raw_player::security::tls, 1);
  alone.play(
      late.size(), [&](std::size_t i) { return make(late[i]).exchange; },
      [&](std::size_t i, raw_outcome const& got) {
        auto const p = make(late[i]);
        INFO(p.name << ": " << got.text());
        CHECK(evaluate(p, got) == "");
        CHECK(got.took <= hang);
      });
  auto const took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begun);
  std::printf("%s: %zu exchanges, %zu answers, %lld ms, the longest %lld ms, %zu again and alone\n", subject.c_str(),
              count, answers, static_cast<long long>(took.count()), static_cast<long long>(longest.count()),
              late.size());
}

}  // namespace svc::test
