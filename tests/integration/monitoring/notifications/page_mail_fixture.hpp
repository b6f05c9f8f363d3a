#pragma once

#include "integration/store/shop.hpp"
#include "monitoring/notifications/page_mailer.hpp"
#include "support/mail_servers.hpp"
#include "system_mail_fixture.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace svc::test {

using notifications::page_mailer;
using store::subscription_outcome;

/// The shop with status pages and a mailer, whose sender each test chooses. Outlives the mailer.
struct page_mailing : shop {
  static egress::mail_answer accepted() {
    return {.error = egress::failure::none, .status = 250, .in_session = true};
  }
  static egress::mail_answer answered(int status) {
    return {.error = egress::failure::none, .status = status, .in_session = true};
  }
  /// Sends to the mail server at this port of the loopback.
  void use_server(int port) {
    client = make_mail_client(io, port);
    send = [this](egress::mail mail, deadline until) { return client->send(std::move(mail), until); };
  }
  /// Keeps the mails, and answers each recipient as `answer` says.
  void keep_mails() {
    send = [this](egress::mail mail, deadline) -> task<egress::mail_answer> {
      auto const came = answer ? answer(mail.recipient) : accepted();
      sent.push_back(std::move(mail));
      co_return came;
    };
  }

  page_mailer::parts parts() {
    return {.io = io,
            .db = pool,
            .master = master,
            .send = send,
            .sender = "Service <svc@svc.example>",
            .public_url = public_url,
            .requests = requests,
            .most = most,
            .allowed = allowed,
            .counters = counters,
            .loops = {loops, io, "delivery", [] { return true; }}};
  }
  /// Runs a look, and everything that follows from it at once.
  void pass(page_mailer& mailer) {
    wait(mailer.look());
    wait(mailer.emptied(soon()));
  }
  /// Looks until a look sends nothing more.
  void pass_all(page_mailer& mailer) {
    for (std::size_t before = sent.size() + 1; before != sent.size();) {
      before = sent.size();
      pass(mailer);
    }
  }

  uuid make_page(std::string const& slug, std::string const& title = "Acme") {
    return make_page(project, slug, title);
  }
  uuid make_page(uuid of_project, std::string const& slug, std::string const& title) {
    auto const id = uuid::generate_v7();
    must({{"page_mailing_page", R"(
INSERT INTO status_pages (id, project_id, name, status, allow_subscribers, domain_token, created_by)
VALUES ($1, $2, $3, 'published', true, 'svc-verify-0123456789', $4))"},
          postgres::parameters(id, of_project, title, ada)});
    must({{"page_mailing_slug", "INSERT INTO page_slugs (slug, project_id, page_id, slot) VALUES ($1, $2, $3, 0)"},
          postgres::parameters(slug, of_project, id)});
    return id;
  }
  uuid make_component(uuid page, std::string const& label, int slot) {
    auto const id = uuid::generate_v7();
    must({{"page_mailing_component", R"(
INSERT INTO page_components (id, project_id, page_id, slot, position, name)
SELECT $1, p.project_id, p.id, $3, $4, $5 FROM status_pages p WHERE p.id = $2)"},
          postgres::parameters(id, page, slot, slot, label)});
    return id;
  }
  uuid make_incident(uuid page, std::string const& title, std::vector<uuid> const& components = {}) {
    auto const id = uuid::generate_v7();
    must({{"page_mailing_incident", R"(
INSERT INTO incidents (id, project_id, page_id, slot, name, impact, status, started_at, created_by)
SELECT $1, p.project_id, p.id, (SELECT count(*) + 1 FROM incidents i WHERE i.page_id = p.id), $3, 'major',
       'investigating', clock_timestamp(), $4 FROM status_pages p WHERE p.id = $2)"},
          postgres::parameters(id, page, title, ada)});
    for (std::size_t i = 0; i < components.size(); ++i)
      must({{"page_mailing_affected", R"(
INSERT INTO incident_components (page_id, incident_id, component_id, slot, status)
VALUES ($1, $2, $3, $4, 'major_outage'))"},
            postgres::parameters(page, id, components[i], static_cast<int>(i) + 1)});
    return id;
  }
  /// Adds a post that notifies.
  uuid post(uuid page, uuid incident, std::string const& body) {
    auto const id = uuid::generate_v7();
    must({{"page_mailing_post", R"(
INSERT INTO page_posts (id, project_id, parent_id, page_id, slot, status, body, display_at, notify, created_by)
SELECT $1, p.project_id, $3, p.id, free_post_slot($3), 'investigating', $4, clock_timestamp(), true, $5
  FROM status_pages p WHERE p.id = $2)"},
          postgres::parameters(id, page, incident, body, ada)});
    must({{"page_mailing_queue", "SELECT queue_page_post($1, $2, clock_timestamp())"},
          postgres::parameters(page, id)});
    return id;
  }

  /// Announces maintenance of tomorrow on these pages, and returns the id of the occurrence, which is the post's.
  uuid announce(std::vector<uuid> const& pages, std::string const& title) {
    auto const id = uuid::generate_v7();
    for (auto const& page : pages)
      must({{"page_mailing_announce", R"(
WITH added AS (
  INSERT INTO page_occurrences (page_id, occurrence_id, window_id, project_id, name, body, components, notify, starts_at,
                                ends_at, announced_at, changed_at)
  SELECT p.id, $2, $2, p.project_id, $3, 'All is slow.', '{}', true, now() + interval '1 day',
         now() + interval '25 hours', now(), now() FROM status_pages p WHERE p.id = $1
)
SELECT queue_page_post($1, $2, clock_timestamp()))"},
            postgres::parameters(page, id, title)});
    return id;
  }

  subscription_outcome ask(uuid page, std::string const& email, std::vector<uuid> components = {}) {
    return wait(subscribers.subscribe({page, email, std::move(components)}, master, most, soon()));
  }
  /// Makes this address an active subscriber, without a mail.
  void make_subscriber(uuid page, std::string const& email, std::vector<uuid> components = {}) {
    REQUIRE(ask(page, email, std::move(components)) == subscription_outcome::asked);
    as_owner(
        "DELETE FROM page_confirmations; UPDATE page_subscribers SET state = 'active', confirmed_at = now() - "
        "interval"
        " '1 hour', stop_digest = confirm_digest, confirm_digest = NULL, confirm_expires_at = NULL"
        " WHERE state = 'pending'");
  }
  pages::subscription_step press(uuid page, std::string const& token, store::subscription_action action) {
    return wait(subscribers.act(page, token, action, most, soon()));
  }
  pages::subscription_step shown(uuid page, std::string const& token) {
    return wait(subscribers.find_link(page, token, soon()));
  }

  /// The first column of the only row.
  std::string word(std::string const& sql) {
    auto const found = must({{"word_" + std::to_string(std::hash<std::string>()(sql)), sql}});
    return found.empty() ? std::string() : std::string(found.front().text(0));
  }
  std::vector<std::string> recipients() const {
    std::vector<std::string> out;
    for (auto const& each : sent) out.push_back(each.recipient);
    return out;
  }
  bool counts(std::string const& line) const { return counters.expose().find(line) != std::string::npos; }
  /// Moves the times of waiting mails back by this interval.
  void later(std::string const& time) const {
    as_owner("UPDATE page_mail_jobs SET next_at = next_at - interval '" + time +
             "'; UPDATE page_mails SET next_at = next_at - interval '" + time +
             "'; UPDATE page_confirmations SET next_at = next_at - interval '" + time + "'");
  }

  std::string public_url = "https://svc.example";
  store::subscription_queue requests{};
  store::subscriber_store::limits most{};
  notifications::recipient_policy allowed{};
  metrics counters{};
  background_loops loops{counters};
  std::unique_ptr<egress::mail_client> client{};
  std::function<task<egress::mail_answer>(egress::mail, deadline)> send{};
  std::function<egress::mail_answer(std::string const& recipient)> answer{};
  std::vector<egress::mail> sent{};
  store::subscriber_store subscribers{pool};
};

/// Returns the content of a mail without the soft line ends of quoted-printable.
inline std::string unfolded(std::string content) {
  for (auto position = content.find("=\r\n"); position != std::string::npos;
       position = content.find("=\r\n", position))
    content.erase(position, 3);
  return content;
}

/// Returns the value of a field of a mail that a server has received; `label` in lower case.
inline std::string page_header(boost::json::value const& mail, std::string const& label) {
  return std::string(mail.at_pointer("/headers/" + label).as_string());
}

/// Returns the token of the link in the text of a mail.
inline std::string token_in(std::string const& text) {
  static constexpr std::string_view path = "/subscriptions/";
  auto const start = text.find(path);
  return start == std::string::npos ? std::string() : text.substr(start + path.size(), 32);
}

}  // namespace svc::test
