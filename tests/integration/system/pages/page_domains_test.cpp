// The proof of a page's domain, by TXT records of a scripted name server.
#include "integration/egress/dns_server.hpp"
#include "integration/system/pages/page_requests.hpp"
#include "support/comes_true.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

namespace svc::test {
namespace {

constexpr int txt_type = 16;

/// A name server that has TXT records of one name, which the test replaces.
class zone {
 public:
  int port() const { return server_.port(); }
  void set(std::vector<std::string> texts) {
    std::lock_guard const lock(mutex_);
    texts_ = std::move(texts);
  }
  void be_silent() {
    std::lock_guard const lock(mutex_);
    silent_ = true;
  }

 private:
  dns_script reply(dns_question const& question) {
    std::lock_guard const lock(mutex_);
    if (silent_) return {.behaviour = dns_script::kind::silence};
    if (question.name != "_svc-verify.status.example.org" || question.type != txt_type) return {.rcode = 3};
    dns_script out;
    for (auto const& text : texts_)
      out.records.push_back(
          {.owner = {}, .type = txt_type, .ttl = 60, .data = std::string(1, static_cast<char>(text.size())) + text});
    return out;
  }

  std::mutex mutex_;
  std::vector<std::string> texts_;
  bool silent_ = false;
  dns_server server_{[this](dns_question const& question) { return reply(question); }};
};

std::string proof_of(api_client& owner, std::string const& path) {
  return text_of(body_of(owner.get(path)), "/domain/txtValue");
}

TEST_CASE("a domain belongs to the page whose text its TXT record has, until that record is replaced") {
  zone names;
  fleet fleet(1, {"SVC_CHECKS_RESOLVERS=127.0.0.1:" + std::to_string(names.port())});
  auto const tenant = fleet.make_tenant(), other = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto stranger = fleet.client(0, other.token);
  std::string const domain = R"(,"customDomain":"Status.example.org.")";
  auto const mine = make_page(owner, domain), theirs = make_page(stranger, domain), none = make_page(owner);
  CHECK(text_of(body_of(owner.get(mine)), "/domain/txtName") == "_svc-verify.status.example.org");
  CHECK(proof_of(owner, mine) != proof_of(stranger, theirs));
  CHECK(refused_member(owner.post(none + "/verify-domain")) == "/customDomain");

  auto const verified = [](api_client& client, std::string const& path) {
    auto const got = client.post(path + "/verify-domain");
    CAPTURE(got.body);
    REQUIRE(got.status == 200);
    return body_of(got);
  };
  CHECK(verified(owner, mine) == boost::json::value({{"verified", false}, {"found", boost::json::array()}}));
  names.set(
      {"\xFF"
       "x",
       proof_of(owner, mine)});
  auto const proved = verified(owner, mine);
  CHECK(proved.at("verified") == true);
  REQUIRE(proved.at("found").as_array().size() == 2);
  CHECK(text_of(proved, "/found/1") == "\uFFFDx");
  CHECK_FALSE(body_of(owner.get(mine)).at("domain").at("verifiedAt").is_null());
  CHECK(verified(stranger, theirs).at("verified") == false);

  names.set({proof_of(owner, mine), proof_of(stranger, theirs)});
  CHECK(code_of(stranger.post(theirs + "/verify-domain")) == "domain_taken");
  names.set({proof_of(stranger, theirs)});
  CHECK(verified(stranger, theirs).at("verified") == true);
  CHECK(body_of(owner.get(mine)).at("domain").at("verifiedAt").is_null());
  auto const actions = audited_actions(owner, {"status_page"});
  CHECK(std::ranges::find(actions, "status_page.domain_verified") != actions.end());
  CHECK(std::ranges::find(actions, "status_page.domain_lost") != actions.end());

  names.be_silent();
  auto const silent = stranger.post(theirs + "/verify-domain");
  CHECK(silent.status == 503);
  CHECK_FALSE(body_of(stranger.get(theirs)).at("domain").at("verifiedAt").is_null());
}

TEST_CASE("another domain needs another proof, and hosts of the service are refused") {
  zone names;
  fleet fleet(1, {"SVC_CHECKS_RESOLVERS=127.0.0.1:" + std::to_string(names.port())});
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const path = make_page(owner, R"(,"customDomain":"status.example.org")");
  names.set({proof_of(owner, path)});
  CHECK(body_of(owner.post(path + "/verify-domain")).at("verified") == true);
  CHECK(owner.patch(path, R"({"customDomain":"www.example.org"})").status == 200);
  CHECK(body_of(owner.get(path)).at("domain").at("verifiedAt").is_null());
  CHECK(refused_member(owner.patch(path, R"({"customDomain":"127.0.0.1"})")) == "/customDomain");
  CHECK(refused_member(owner.patch(path, R"({"customDomain":"localhost"})")) == "/customDomain");
  CHECK(owner.patch(path, R"({"customDomain":null})").status == 200);
  CHECK(body_of(owner.get(path)).at("domain").is_null());
}

TEST_CASE("a proof is repeated daily, and a page whose proof fails for three days loses its domain") {
  zone names;
  // Each loop takes a step every 50 ms, regardless of its interval.
  fleet fleet(1, {"SVC_CHECKS_RESOLVERS=127.0.0.1:" + std::to_string(names.port()), "SVC_WORKERS=1",
                  "SVC_FAILPOINTS=background.hurry=delay:0"});
  auto owner = fleet.client(0, fleet.make_tenant().token);
  auto const path = make_page(owner, R"(,"customDomain":"status.example.org")");
  names.set({proof_of(owner, path)});
  CHECK(body_of(owner.post(path + "/verify-domain")).at("verified") == true);
  names.set({"v=spf1 -all"});
  auto const is_verified = [&] { return !body_of(owner.get(path)).at("domain").at("verifiedAt").is_null(); };
  auto const make_due = [&](std::string const& more) {
    fleet.sql("UPDATE status_pages SET domain_checked_at = now() - interval '2 days'" + more);
  };
  make_due("");
  auto const failing = [&] { return !fleet.word("SELECT domain_failing_since FROM status_pages").empty(); };
  REQUIRE(comes_true(failing, std::chrono::seconds(10)));
  CHECK(is_verified());
  make_due(", domain_failing_since = now() - interval '4 days'");
  CHECK(comes_true([&] { return !is_verified(); }, std::chrono::seconds(10)));
  CHECK(audited_actions(owner, {"status_page"}).back() == "status_page.domain_lost");
}

}  // namespace
}  // namespace svc::test
