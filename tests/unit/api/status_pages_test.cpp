#include "api/pages.hpp"
#include "unit/api/contract.hpp"
#include "unit/api/object.hpp"

#include "svc/core/bytes.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace svc::api {
namespace {

using test::object;

timestamp const page_time = parse_rfc3339("2026-11-20T10:00:00Z").value();
page_rules const rules_at_page_time{.public_host = "pas.example.org"};
std::string const page_provider = "01934f2e-7777-7d3e-9b1f-5a2c8e4d6f70";
std::string const page_provider_capital = "01934F2E-7777-7d3e-9b1f-5a2c8e4d6f70";

result<pages::page_settings> page_of(std::string const& members) {
  auto const body = object(R"({"name":"Acme","slug":"acme")" + (members.empty() ? "" : "," + members) + "}");
  auto const fits = test::check("CreateStatusPageRequest", body);
  CHECK(test::faults(fits) == "");
  return read_page_settings(body, rules_at_page_time);
}

pages::status_page stored_page(std::string const& members) {
  return {.id = uuid::generate_v7(),
          .set = page_of(members).value(),
          .proof = {.token = "svc-verify=token"},
          .created_by = uuid::generate_v7(),
          .created_at = page_time,
          .updated_at = page_time};
}

TEST_CASE("valid and invalid status pages, beyond the schema") {
  struct {
    std::string name, members, wrong;
  } const cases[] = {
      {"only what is required", "", ""},
      {"everything",
       R"("headline":"h","description":"d","status":"published","visibility":"restricted",)"
       R"("allowedCidrs":["203.0.113.0/24"],"language":"de","timeZone":"Europe/Berlin","accentColor":"#1d4ed8",)"
       R"("supportUrl":"https://acme.example.org/help","customDomain":"Status.Example.org.","notificationProviders":[")" +
           page_provider + "\"]",
       ""},
      {"restricted for nobody", R"("visibility":"restricted")", "/allowedCidrs"},
      {"ranges of a public page", R"("allowedCidrs":["203.0.113.0/24"])", "/allowedCidrs"},
      {"ranges that are null", R"("allowedCidrs":null,"visibility":"members")", ""},
      {"unknown zone", R"("timeZone":"Europe/Atlantis")", "/timeZone"},
      {"plain http", R"("supportUrl":"http://acme.example.org/")", "/supportUrl"},
      {"script", R"x("supportUrl":"javascript:alert(1)")x", "/supportUrl"},
      {"an address as domain", R"("customDomain":"192.0.2.1")", "/customDomain"},
      {"the service as domain", R"("customDomain":"PAS.example.org")", "/customDomain"},
      {"below the service", R"("customDomain":"a.pas.example.org")", "/customDomain"},
      {"one label", R"("customDomain":"localhost")", "/customDomain"},
      {"one provider twice",
       R"("notificationProviders":[")" + page_provider + R"(",")" + page_provider_capital + "\"]",
       "/notificationProviders/1"},
      {"hidden characters", R"("headline":"a\u202eb")", "/headline"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(test::faults(page_of(c.members)) == c.wrong);
  }
}

TEST_CASE("slugs that are reserved or UUIDs are refused") {
  for (std::string const slug : {"api", "admin", "www", "01934f2e-7777-7d3e-9b1f-5a2c8e4d6f70"}) {
    CAPTURE(slug);
    auto const body = object(R"({"name":"n","slug":")" + slug + "\"}");
    CHECK(test::faults(read_page_settings(body, rules_at_page_time)) == "/slug");
  }
  auto const hidden = object(R"({"name":"a\u202eb","slug":"acme"})");
  CHECK(test::faults(read_page_settings(hidden, rules_at_page_time)) == "/name");
}

TEST_CASE("a status page is read with its defaults") {
  auto const page = page_of("").value();
  CHECK(page.status == pages::page_status::draft);
  CHECK(page.visible == pages::visibility::listed);
  CHECK(page.language == pages::page_language::en);
  CHECK(page.time_zone == "UTC");
  CHECK(page.feeds);
  CHECK_FALSE(page.subscribers);
  CHECK_FALSE(page.automatic_incidents);
  CHECK(page.automatic_after == std::chrono::minutes(5));
  CHECK(page.providers.empty());
  CHECK(page_of(R"("customDomain":"Status.Example.org.")")->custom_domain == "status.example.org");
}

TEST_CASE("a patch of a status page keeps the other settings") {
  auto const restricted = stored_page(R"("visibility":"restricted","allowedCidrs":["203.0.113.0/24"],)"
                                      R"("headline":"h","customDomain":"status.example.org","allowFeeds":false)");
  struct {
    std::string name, patch, wrong;
  } const cases[] = {
      {"name", R"({"name":"other"})", ""},
      {"public", R"({"visibility":"public"})", ""},
      {"public with ranges", R"({"visibility":"public","allowedCidrs":["203.0.113.0/24"]})", "/allowedCidrs"},
      {"no ranges", R"({"allowedCidrs":null})", "/allowedCidrs"},
      {"no name", R"({"name":null})", "/name"},
      {"reserved", R"({"slug":"status"})", "/slug"},
  };
  auto const patched_by = [&](std::string const& patch) {
    return patch_page_settings(test::contract(), restricted, object(patch), rules_at_page_time);
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(test::faults(patched_by(c.patch)) == c.wrong);
  }
  auto const changed = patched_by(R"({"headline":null,"customDomain":null,"status":"published"})").value();
  CHECK_FALSE(changed.headline);
  CHECK_FALSE(changed.custom_domain);
  CHECK(changed.status == pages::page_status::published);
  CHECK_FALSE(changed.feeds);
  CHECK(changed.allowed_cidrs == restricted.set.allowed_cidrs);
  CHECK(patched_by(R"({"visibility":"public"})")->allowed_cidrs.empty());
}

TEST_CASE("a stored name with a hidden character does not prevent a patch of other settings") {
  auto page = stored_page("");
  page.set.name = page.set.headline.emplace(
      "a\xE2\x80\xAE"
      "b");
  auto const kept = patch_page_settings(test::contract(), page, object(R"({"language":"fr"})"), rules_at_page_time);
  CHECK(test::faults(kept) == "");
}

TEST_CASE("a status page is shown with its status and the proof of its domain") {
  auto page = stored_page("");
  auto const plain = test::shown(status_page_json, page);
  CHECK(test::faults(test::check("StatusPage", plain)) == "");
  CHECK(plain.at("componentStatus") == "unknown");
  CHECK(plain.at("domain").is_null());
  CHECK(plain.at("allowedCidrs").is_null());
  page.set.custom_domain = "status.example.org";
  page.proof.verified_at = page_time;
  page.status = pages::component_status::partial_outage;
  page.evidence_at = page_time;
  auto const shown = test::shown(status_page_json, page);
  CHECK(test::faults(test::check("StatusPage", shown)) == "");
  CHECK(shown.at("componentStatus") == "partial_outage");
  CHECK(shown.at("evidenceAt") == "2026-11-20T10:00:00.000Z");
  CHECK(shown.at("domain") == boost::json::value({{"verifiedAt", "2026-11-20T10:00:00.000Z"},
                                                  {"txtName", "_svc-verify.status.example.org"},
                                                  {"txtValue", "svc-verify=token"}}));
}

TEST_CASE("the host of public_url has no port") {
  struct {
    std::string_view url, host;
  } const cases[] = {
      {"https://pas.example.org", "pas.example.org"},
      {"https://pas.example.org:8443", "pas.example.org"},
      {"https://pas.example.org/pas", "pas.example.org"},
      {"https://[2001:db8::1]:8443/", "2001:db8::1"},
      {"http://127.0.0.1:8080", "127.0.0.1"},
      {"", ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.url);
    CHECK(host_of_public_url(c.url) == c.host);
  }
}

std::string logo_body(std::string const& type, std::string const& bytes) {
  std::vector<std::uint8_t> const raw(bytes.begin(), bytes.end());
  return R"({"contentType":")" + type + R"(","data":")" + to_base64(raw) + "\"}";
}

TEST_CASE("a logo is a small picture of its type by its first bytes") {
  std::string const png = "\x89PNG\r\n\x1A\n", jpeg = "\xFF\xD8\xFF\xE0",
                    svg = "<svg xmlns='http://www.w3.org/2000/svg'/>";
  struct {
    std::string name, body, wrong;
  } const cases[] = {
      {"png", logo_body("image/png", png), ""},
      {"jpeg", logo_body("image/jpeg", jpeg), ""},
      {"webp", logo_body("image/webp", std::string("RIFF\1\2\3\4WEBP", 12)), ""},
      {"jpeg as png", logo_body("image/png", jpeg), "/data"},
      {"svg as png", logo_body("image/png", svg), "/data"},
      {"largest", logo_body("image/png", png + std::string(256 * 1024 - 8, 'x')), ""},
      {"too large", logo_body("image/png", png + std::string(256 * 1024 - 7, 'x')), "/data"},
      {"no base64", R"({"contentType":"image/png","data":"iVBORw0KGgo"})", "/data"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(test::faults(test::check("SetStatusPageLogoRequest", object(c.body))) == "");
    CHECK(test::faults(read_logo(object(c.body))) == c.wrong);
  }
  CHECK(read_logo(object(logo_body("image/png", png)))->bytes == png);
}

}  // namespace
}  // namespace svc::api
