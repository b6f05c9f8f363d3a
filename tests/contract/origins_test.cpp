// Tests each operation that a browser's session can use with each origin that a browser reports: only pages of the
// service act for the session. The table comes from both contracts.
#include "contract/contract_fixture.hpp"
#include "svc/domain/token.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace svc::test {
namespace {

struct reported_site {
  char const* name;  ///< the content of Sec-Fetch-Site; null: the header is missing
  bool reads, writes;
};

constexpr reported_site reported_sites[] = {
    {"same-origin", true, true}, {"none", true, false}, {"same-site", false, false},   {"cross-site", false, false},
    {"nonsense", false, false},  {"", false, false},    {"Same-Origin", false, false}, {nullptr, false, false},
};

/// A path of the operation; no object has the ids in it.
std::string path_to_nothing(http::operation const& op) {
  std::string out = op.path;
  for (auto open = out.find('{'); open != std::string::npos; open = out.find('{'))
    out.replace(open, out.find('}') - open + 1, nowhere);
  return out;
}

request from_site(std::string const& method, http::operation const& op, char const* site,
                  std::string const& session) {
  request out{.method = method, .target = path_to_nothing(op)};
  out.headers = {{"Cookie", "__Host-svc_session=" + session}, {"Svc-Project", std::string(nowhere)}};
  if (site != nullptr) out.headers.emplace_back("Sec-Fetch-Site", site);
  return out;
}

bool is_refused_as_foreign(support::answer const& got, bool has_body) {
  if (got.status != 403) return false;
  return !has_body || boost::json::parse(got.body).at("code").as_string() == "cross_site_request";
}

/// Asks as a page of the site. Where the rule refuses, the session is a real one; where it admits, the session is
/// unknown, so that nothing changes.
void check_site(contract_fixture& s, http::operation const& op, std::string const& method,
                reported_site const& reported, std::string const& session) {
  bool const reads = method == "GET" || method == "HEAD";
  bool const admitted = reads ? reported.reads : reported.writes;
  auto const unknown = std::string(mint_token(token_kind::session).key.reveal());
  auto const got = s.send(from_site(method, op, reported.name, admitted ? unknown : session));
  CAPTURE(method);
  CAPTURE(op.path);
  CAPTURE(std::string(reported.name == nullptr ? "(missing)" : reported.name));
  CAPTURE(got.body);
  CHECK(is_refused_as_foreign(got, method != "HEAD") == !admitted);
}

TEST_CASE("only pages of the service use a session: each operation of both contracts, by each Sec-Fetch-Site") {
  contract_fixture s;
  auto const session = s.sign_in(s.make_user(s.main().project, "org_owner"));
  auto const both = http::contract::load({embedded::openapi_json, embedded::dashboard_json});
  int checked = 0;
  for (auto const& op : both->operations()) {
    if (!op.takes_session && !op.own_pages) continue;
    for (auto const& reported : reported_sites) {
      check_site(s, op, op.method, reported, session);
      if (op.method == "GET") check_site(s, op, "HEAD", reported, session);
      ++checked;
    }
  }
  CHECK(checked > 800);
  // The session has not been touched.
  auto const& me = *std::ranges::find(both->operations(), "get_account", &http::operation::id);
  CHECK(s.send(from_site("GET", me, "same-origin", session)).status == 200);
}

}  // namespace
}  // namespace svc::test
