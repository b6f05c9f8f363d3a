#pragma once

#include "support/run_task.hpp"
#include "svc/core/account.hpp"
#include "svc/core/metrics.hpp"
#include "svc/http/body_budget.hpp"
#include "svc/http/public_pages/site.hpp"

#include <doctest/doctest.h>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::public_pages {

inline uuid numbered(int number) {
  uuid id;
  id.bytes.back() = static_cast<std::uint8_t>(number);
  id.bytes[6] = 0x70;
  return id;
}

inline std::chrono::microseconds seconds_of(std::int64_t count) {
  return std::chrono::seconds(count);
}

/// A page with one component, one resolved incident and one coming maintenance, whose evidence lasts a minute.
inline published_page sample_page(int number, std::string const& slug, timestamp now) {
  published_page out{.project = numbered(100 + number), .version = 1};
  out.snapshot.page.id = numbered(number);
  out.snapshot.page.slug = slug;
  out.snapshot.page.name = "Acme <" + slug + ">";
  out.snapshot.as_of = now;
  out.snapshot.components.push_back(
      {.id = numbered(10),
       .name = "Checkout",
       .description = {},
       .group = {},
       .measured = {
           .status = pages::component_status::operational, .valid_until = now + seconds_of(60), .evidence_at = now}});
  out.snapshot.incidents.push_back(
      {.id = numbered(20),
       .name = "Payments fail",
       .status = pages::post_status::resolved,
       .started_at = now + seconds_of(-7200),
       .resolved_at = now + seconds_of(-3600),
       .posts = {{numbered(21), pages::post_status::resolved, "It works again.", now + seconds_of(-3600)}}});
  out.snapshot.maintenance.push_back(
      {.id = numbered(30),
       .name = "Database upgrade",
       .starts_at = now + seconds_of(3600),
       .ends_at = now + seconds_of(7200),
       .changed_at = now + seconds_of(-60),
       .posts = {{numbered(30), pages::post_status::scheduled, "Planned work.", now + seconds_of(-60)}}});
  pages::set_evidence_time(out.snapshot);
  return out;
}

/// Pages in memory, which may be away.
struct scripted_source final : page_source {
  std::map<uuid, published_page> all{};
  std::map<std::string, uuid> former{};
  std::map<uuid, page_logo> logos{};
  bool away = false;
  std::chrono::milliseconds pause{0};  ///< before each name is found
  int finds = 0, versions = 0, builds = 0;

  void check() const {
    if (away) throw unavailable("the database is away");
  }
  task<std::optional<located_page>> find(page_name name, deadline) override {
    ++finds;
    steady_timer timer(co_await asio::this_coro::executor, pause);
    if (pause.count() > 0) co_await timer.async_wait(awaiting);
    check();
    for (auto const& [id, page] : all) {
      bool const named = (name.kind == name_kind::id && id.to_string() == name.text) ||
                         (name.kind == name_kind::slug && page.snapshot.page.slug == name.text) ||
                         (name.kind == name_kind::domain && page.domain == name.text);
      if (named) co_return located_page{.id = id};
    }
    auto const old = former.find(name.text);
    if (name.kind != name_kind::slug || old == former.end()) co_return std::nullopt;
    co_return located_page{.id = old->second, .former = true};
  }
  task<page_version> version(uuid id, deadline) override {
    ++versions;
    check();
    auto const found = all.find(id);
    page_version out{.now = system_now()};
    if (found != all.end()) out.number = found->second.version;
    co_return out;
  }
  task<page_ptr> build(uuid id, deadline) override {
    ++builds;
    check();
    auto const found = all.find(id);
    if (found == all.end()) co_return nullptr;
    auto page = std::make_shared<published_page>(found->second);
    page->snapshot.as_of = system_now();
    co_return page;
  }
  task<std::optional<page_logo>> logo(uuid id, deadline) override {
    check();
    auto const found = logos.find(id);
    if (found == logos.end()) co_return std::nullopt;
    co_return found->second;
  }
  task<std::vector<uuid>> published(uuid, int, deadline) override { co_return std::vector<uuid>{}; }
};

struct scripted_desk final : subscription_desk {
  bool full = false;
  pages::subscription_step step = pages::subscription_step::confirm;
  std::vector<std::string> asked{}, acted{};

  task<bool> request(uuid, std::string address, std::vector<uuid> components, deadline) override {
    asked.push_back(address + " " + std::to_string(components.size()));
    co_return !full;
  }
  task<pages::subscription_step> find_link(uuid, std::string, deadline) override { co_return step; }
  task<std::optional<pages::subscription_step>> act(uuid, std::string token, std::string body, deadline) override {
    acted.push_back(token + " " + body);
    if (body != "action=confirm") co_return std::nullopt;
    co_return pages::subscription_step::confirmed;
  }
};

struct scripted_body final : http::body_source {
  std::string text{};
  task<result<http::body_text>> read(std::size_t limit, http::body_share share) override {
    if (text.size() > limit) co_return errc::body_too_large;
    http::body_text out(std::move(share));
    if (!out.begin() || !out.append(text)) co_return errc::overloaded;
    out.finish();
    co_return std::move(out);
  }
};

inline std::string field_of(http::response const& response, std::string_view name) {
  auto const found = std::ranges::find(response.fields, name, [](auto const& each) { return each.first; });
  return found == response.fields.end() ? std::string() : found->second;
}

/// The public pages of one worker without Redis.
struct site_fixture {
  asio::io_context io{1};
  metrics counters{};
  scripted_source source{};
  scripted_desk desk{};
  scripted_body body{};
  redis::client redis{io, redis::settings{}, {}};  ///< never started: no command leaves it
  rebuild_slots slots{};
  account memory;
  account time;
  account body_account{http::terms_of({})};
  http::body_budget bodies{body_account, 64UL * 1024 * 1024};
  limit_table limits{};
  std::string public_url = "https://svc.example";
  bool member = false;
  int shared_counts = 0;
  timestamp const now = system_now();
  site served;

  explicit site_fixture(std::size_t memory_bytes = 16UL * 1024 * 1024,
                        account_terms const& time_share = time_terms(1))
      : memory(memory_terms(memory_bytes, 1)),
        time(time_share),
        served({.io = io,
                .source = source,
                .desk = desk,
                .redis = redis,
                .slots = slots,
                .memory = memory,
                .time = time,
                .counters = counters,
                .limits = limits,
                .count = [this](rate_class which, std::string, deadline) { return count(which); },
                .now = [] { return system_now(); },
                .public_url = public_url,
                .bodies = bodies,
                .memory_bytes = memory_bytes}) {
    add(sample_page(1, "acme", now));
  }

  task<limit_decision> count(rate_class which) {
    ++shared_counts;
    co_return limit_decision{.which = which, .window = limits.of(which), .admitted = true};
  }

  published_page& add(published_page page) {
    auto const id = page.snapshot.page.id;
    return source.all[id] = std::move(page);
  }
  published_page& acme() { return source.all.at(numbered(1)); }

  std::optional<http::response> ask(std::string_view method, std::string_view target,
                                    std::vector<http::field> fields = {}, std::string content = {},
                                    std::string_view host = "svc.example", std::string client = "192.0.2.1") {
    http::request head{.method = method, .target = target};
    head.fields = std::move(fields);
    head.fields.push_back({"Host", host});
    head.client_address = std::move(client);
    head.arrived = steady::now();
    head.has_body = !content.empty();
    body.text = std::move(content);
    if (!served.concerns(head)) return std::nullopt;
    auto const is_member = [this](uuid, deadline) -> task<bool> { co_return member; };
    return test::run_task(
        io, served.answer({head, body, "request-1", false, is_member, deadline::after(std::chrono::seconds(5))}));
  }
  http::response get(std::string_view target, std::vector<http::field> fields = {},
                     std::string_view host = "svc.example") {
    auto out = ask("GET", target, std::move(fields), {}, host);
    REQUIRE(out);
    return std::move(*out);
  }
  double counted(std::string const& source_label) const {
    auto const page = counters.expose();
    auto const line = "svc_page_requests_total{source=\"" + source_label + "\"} ";
    auto const found = page.find(line);
    return found == page.npos ? -1 : std::stod(page.substr(found + line.size()));
  }
};

}  // namespace svc::public_pages
