// Every operation of the served document, and every code that it declares: each pair is provoked. There is no list of
// exceptions; what nobody can provoke does not belong in the document.
#include "contract/provoker.hpp"

#include <doctest/doctest.h>

#include <set>
#include <utility>

namespace svc::test {
namespace {

using pair = std::pair<std::string, std::string>;

constexpr family families[] = {credentials,
                               sessions,
                               roles,
                               limits,
                               headers,
                               parameters,
                               bodies,
                               unknown_resources,
                               resource_states,
                               full_shelves,
                               status_page_states,
                               rotating,
                               triggering,
                               protocol,
                               slow_clients,
                               busy_service,
                               redis_away,
                               postgres_away,
                               both_stores_away,
                               draining};

void play(contract_fixture& s, http::operation const& op, provoker const& provoker, std::set<pair>& seen) {
  CAPTURE(op.id);
  CAPTURE(provoker.code);
  CAPTURE(provoker.mode);
  try {
    for (auto const& attempt : provoker.play(op)) {
      CAPTURE(attempt.about);
      auto const complaints = check_error(s.contract(), op, attempt, provoker.code);
      CHECK(complaints == "");
      if (complaints.empty()) seen.emplace(op.id, provoker.code);
    }
  } catch (std::exception const& e) {
    FAIL_CHECK(std::string(e.what()));
  }
}

TEST_CASE("every declared error of every operation is provoked, and answered as declared") {
  contract_fixture s;
  std::set<pair> seen;
  for (auto const& make : families) {
    auto const provokers = make(s);
    for (auto const& provoker : provokers) {
      for (auto const& op : s.contract().operations()) {
        if (s.contract().declares(op, provoker.code) && provoker.fits(op)) play(s, op, provoker, seen);
      }
    }
  }
  for (auto const& op : s.contract().operations()) {
    auto codes = op.errors;
    codes.insert(codes.end(), s.contract().common_errors().begin(), s.contract().common_errors().end());
    for (auto const& code : codes) {
      CAPTURE(op.id);
      CAPTURE(code);
      CHECK_MESSAGE(seen.contains({op.id, code}), "never provoked");
    }
  }
}

}  // namespace
}  // namespace svc::test
