// This file reads and writes the settings of status pages, and their logos.
#include "api/checked_body.hpp"
#include "api/pages.hpp"
#include "svc/core/bytes.hpp"
#include "svc/domain/cron.hpp"
#include "svc/domain/pages/inputs.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::api {
namespace {

using page_faults = std::vector<field_error>;

void refuse_if(pages::problem const& problem, std::string_view pointer, page_faults& wrong) {
  if (problem) wrong.push_back({std::string(pointer), std::string(*problem)});
}

std::vector<std::string> texts_in(boost::json::object const& body, std::string_view name) {
  std::vector<std::string> out;
  if (auto const* const list = given(body, name))
    for (auto const& each : list->as_array()) out.emplace_back(each.as_string());
  return out;
}

/// Reads the ranges of a restricted page. No other page has any.
std::vector<std::string> read_ranges(boost::json::object const& body, pages::visibility visible, page_faults& wrong) {
  auto out = texts_in(body, "allowedCidrs");
  if (visible == pages::visibility::restricted) {
    if (out.empty())
      wrong.push_back({"/allowedCidrs", "is required with visibility restricted"});
    else
      refuse_if(pages::cidrs_problem(out), "/allowedCidrs", wrong);
  } else if (!out.empty()) {
    wrong.push_back({"/allowedCidrs", "is only allowed with visibility restricted"});
  }
  return out;
}

std::optional<std::string> read_domain(boost::json::object const& body, std::string_view public_host,
                                       page_faults& wrong) {
  auto const text = text_in(body, "customDomain");
  if (!text) return std::nullopt;
  auto domain = pages::page_domain(*text, public_host);
  if (!domain)
    wrong.push_back({"/customDomain", "must be a host name such as status.example.org, and not one of this service"});
  return domain;
}

void check_page_names(pages::page_settings const& set, pages::page_settings const* before, page_faults& wrong) {
  find_hidden("/name", set.name, before == nullptr ? nullptr : &before->name, wrong);
  if (set.headline)
    find_hidden("/headline", *set.headline, before != nullptr && before->headline ? &*before->headline : nullptr,
                wrong);
  refuse_if(pages::slug_problem(set.slug), "/slug", wrong);
  if (set.support_url) refuse_if(pages::support_url_problem(*set.support_url), "/supportUrl", wrong);
  if (!is_time_zone(set.time_zone)) wrong.push_back({"/timeZone", "must be an IANA time zone"});
  find_repeats(set.providers, "/notificationProviders/", "", wrong);
}

template <class Value>
Value word_in(boost::json::object const& body, std::string_view name, std::optional<Value> (*parse)(std::string_view),
              Value otherwise) {
  auto const text = text_in(body, name);
  return text ? parse(*text).value_or(otherwise) : otherwise;
}

void ranges_json(http::json_text& out, pages::page_settings const& set) {
  if (set.visible != pages::visibility::restricted) {
    out.member("allowedCidrs", nullptr);
    return;
  }
  out.open_list("allowedCidrs");
  for (auto const& range : set.allowed_cidrs) out.element(range);
  out.close_list();
}

/// Writes the proof of the page's domain, or null.
void domain_json(http::json_text& out, pages::status_page const& page) {
  if (!page.set.custom_domain) {
    out.member("domain", nullptr);
    return;
  }
  out.open("domain")
      .member("verifiedAt", page.proof.verified_at)
      .member("txtName", pages::domain_record(*page.set.custom_domain))
      .member("txtValue", page.proof.token)
      .close();
}

}  // namespace

std::string_view host_of_public_url(std::string_view public_url) {
  auto const host = pages::host_of_url(public_url);
  return host.starts_with('[') ? host.substr(1, host.find(']') - 1) : host;
}

void page_settings_json(http::json_text& out, pages::page_settings const& set) {
  out.member("name", set.name)
      .member("slug", set.slug)
      .member("headline", set.headline)
      .member("description", set.description)
      .member("status", pages::to_text(set.status))
      .member("visibility", pages::to_text(set.visible));
  ranges_json(out, set);
  out.member("language", pages::to_text(set.language))
      .member("timeZone", set.time_zone)
      .member("accentColor", set.accent_color)
      .member("supportUrl", set.support_url)
      .member("allowFeeds", set.feeds)
      .member("allowSubscribers", set.subscribers)
      .member("autoIncidents", set.automatic_incidents)
      .member("autoIncidentMinutes", static_cast<std::int64_t>(set.automatic_after.count()))
      .open_list("notificationProviders");
  for (auto const& id : set.providers) out.element(id);
  out.close_list().member("customDomain", set.custom_domain);
}

void status_page_json(http::json_text& out, pages::status_page const& page) {
  out.member("id", page.id);
  page_settings_json(out, page.set);
  out.member("componentStatus", pages::to_text(page.status.value_or(pages::component_status::unknown)))
      .member("evidenceAt", page.evidence_at);
  domain_json(out, page);
  out.member("createdBy", page.created_by).member("createdAt", page.created_at).member("updatedAt", page.updated_at);
}

result<pages::page_settings> read_page_settings(boost::json::object const& body, page_rules rules,
                                                pages::page_settings const* before) {
  page_faults wrong;
  pages::page_settings out{
      .name = std::string(body.at("name").as_string()),
      .slug = std::string(body.at("slug").as_string()),
      .headline = text_in(body, "headline"),
      .description = text_in(body, "description"),
      .status = word_in(body, "status", pages::page_status_of, pages::page_status::draft),
      .visible = word_in(body, "visibility", pages::visibility_of, pages::visibility::listed),
      .language = word_in(body, "language", pages::page_language_of, pages::page_language::en),
      .time_zone = text_in(body, "timeZone").value_or("UTC"),
      .accent_color = text_in(body, "accentColor"),
      .support_url = text_in(body, "supportUrl"),
      .feeds = flag_in(body, "allowFeeds", true),
      .subscribers = flag_in(body, "allowSubscribers", false),
      .automatic_incidents = flag_in(body, "autoIncidents", false),
      .automatic_after = std::chrono::minutes(number_in(body, "autoIncidentMinutes").value_or(5)),
      .providers = ids_in(body, "notificationProviders"),
      .custom_domain = read_domain(body, rules.public_host, wrong)};
  out.allowed_cidrs = read_ranges(body, out.visible, wrong);
  check_page_names(out, before, wrong);
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  return out;
}

result<pages::page_settings> patch_page_settings(http::body_validator& contract, pages::status_page const& current,
                                                 boost::json::object const& patch, page_rules rules) {
  auto stored = boost::json::parse(http::written(page_settings_json, current.set)).as_object();
  auto const visible = text_in(patch, "visibility");
  if (visible && *visible != pages::to_text(pages::visibility::restricted)) stored.erase("allowedCidrs");
  auto const merged = patched(contract, "CreateStatusPageRequest", std::move(stored), patch);
  if (!merged) return merged.error();
  return read_page_settings(*merged, rules, &current.set);
}

result<pages::logo> read_logo(boost::json::object const& body) {
  auto const decoded = from_base64(body.at("data").as_string());
  if (!decoded) return verdict({{"/data", "must be base64 with padding (RFC 4648)"}}).error();
  std::string bytes(decoded->begin(), decoded->end());
  if (bytes.size() > pages::most_logo_bytes) return verdict({{"/data", "must have at most 262144 bytes"}}).error();
  std::string const type(body.at("contentType").as_string());
  if (pages::logo_type(bytes) != type) return verdict({{"/data", "must be a picture of type " + type}}).error();
  return pages::logo{.content_type = type, .bytes = std::move(bytes)};
}

}  // namespace svc::api
