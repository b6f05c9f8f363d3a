#pragma once

#include "support/comes_true.hpp"
#include "support/fleet.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace svc::test {

/// A body with one text member, which needs no escapes.
inline std::string one_member(std::string const& name, std::string const& content) {
  return R"({")" + name + R"(":")" + content + R"("})";
}

/// Makes a sign-in link of the operator and returns its secret.
inline std::string new_link_secret(fleet const& installation, std::string const& user) {
  auto const link = text_of(installation.admin({"create-sign-in-link", "--user", user}), "/link");
  return link.substr(link.find('#') + 1);
}

/// A browser with a cookie jar on one page of the service: it sends what browsers send with a page's own requests.
/// One thread at a time.
class browser {
 public:
  explicit browser(fleet const& installation, std::size_t instance = 0)
      : browser(installation, installation.client(instance)) {}
  /// Opens the service at the client's address.
  browser(fleet const& installation, api_client client) : installation_(installation), client_(std::move(client)) {}

  /// Continues on another instance, with the same cookies.
  void move_to(std::size_t instance) { client_ = installation_.client(instance); }
  /// The project that requests name; empty: none.
  void open_project(std::string id) { project_ = std::move(id); }

  answer call(std::string_view method, std::string_view target, std::string_view body = {}, header_list more = {}) {
    more.emplace_back("Sec-Fetch-Site", "same-origin");
    if (!project_.empty()) more.emplace_back("Svc-Project", project_);
    if (!body.empty()) more.emplace_back("Content-Type", "application/json");
    return send(method, target, body, std::move(more), true);
  }
  answer get(std::string_view target) { return call("GET", target); }
  answer post(std::string_view target, std::string_view body = {}) { return call("POST", target, body); }
  /// Arrives from another site, as a redirect of an identity provider does: without Strict cookies.
  answer navigate(std::string_view target) {
    return send("GET", target, {}, {{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Mode", "navigate"}}, false);
  }

  /// Signs in by a new link of the operator; throws if that fails.
  void sign_in(std::string const& user) {
    auto const got = post("/dashboard/v1/sign-in/link", one_member("token", new_link_secret(installation_, user)));
    if (got.status != 200) throw std::runtime_error("no sign-in: " + got.body);
  }

  std::string const& cookie(std::string const& name) const { return cookies_.at(name); }
  std::map<std::string, std::string>& cookies() { return cookies_; }

 private:
  answer send(std::string_view method, std::string_view target, std::string_view body, header_list fields,
              bool with_strict) {
    std::string jar;
    for (auto const& [name, content] : cookies_)
      if (with_strict || !strict_.contains(name)) jar += (jar.empty() ? "" : "; ") + name + "=" + content;
    if (!jar.empty()) fields.emplace_back("Cookie", jar);
    auto got = client_.http().request(method, target, fields, body);
    for (auto const& [name, content] : got.headers)
      if (name == "set-cookie") keep(content);
    return got;
  }

  void keep(std::string const& field) {
    auto const end = field.find(';'), equals = field.find('=');
    auto const name = field.substr(0, equals);
    if (field.find("SameSite=Strict") != std::string::npos) strict_.insert(name);
    if (field.find("Max-Age=0") != std::string::npos)
      cookies_.erase(name);
    else
      cookies_[name] = field.substr(equals + 1, end - equals - 1);
  }

  fleet const& installation_;
  api_client client_;
  std::map<std::string, std::string> cookies_;
  std::set<std::string> strict_;  ///< names of cookies that other sites cannot cause to be sent
  std::string project_;
};

inline constexpr char const* session_cookie_name = "__Host-svc_session";

/// Returns a fleet of two, shared by the tests of sessions.
inline fleet& session_fleet() {
  static fleet installation(2);
  return installation;
}

inline std::string project_id(fleet const& installation, tenant const& subject) {
  return installation.word(
      "SELECT p.id FROM projects p JOIN organizations o ON o.id = p.organization_id WHERE o.slug || "
      "'/' || p.slug = '" +
      subject.project + "'");
}

/// Makes a paused monitor with an outage that has been open for 30 hours, and returns its id.
inline std::string make_paused_monitor(fleet& installation, tenant const& owner, std::string const& name) {
  auto const made =
      installation.client(0, owner.token)
          .post("/api/monitors",
                R"({"name":")" + name +
                    R"(","type":"port_check","target":"shop.example.org","enabled":false,"config":{"port":80}})");
  auto const id = text_of(body_of(made), "/id");
  installation.sql(
      "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, cause, cause_message, "
      "cause_location,"
      " locations_down) SELECT gen_random_uuid(), project_id, id, now() - interval '30 hours', now(), 1, 'closed',"
      " 'local', '{local}' FROM monitors WHERE id = '" +
      id + "'");
  return id;
}

/// Lets the sign-in of the person's sessions be so old that it counts as fresh no more, and waits until the instance
/// of the browser knows.
inline void age_sign_in(fleet const& installation, browser& page, tenant const& person) {
  installation.sql(
      "UPDATE sessions SET authenticated_at = authenticated_at - interval '16 minutes' WHERE user_id = '" +
      person.user_id + "'; SELECT bump_subjects(ARRAY['" + person.user_id + "'::uuid])");
  auto const is_old = [&] {
    // Changes nothing, because no version matches.
    auto const got = page.call("DELETE", "/dashboard/v1/me/sessions", {}, {{"If-Match", "\"9-x\""}});
    return code_of(got) == "fresh_sign_in_required";
  };
  if (!comes_true(is_old, std::chrono::seconds(20))) throw std::runtime_error("the sign-in stays fresh");
}

/// A member with a browser that is signed in and has opened the tenant's project.
struct signed_in_member {
  fleet& installation = session_fleet();
  tenant owner = installation.make_tenant();
  tenant member;
  std::string project = project_id(installation, owner);
  browser page{installation};

  explicit signed_in_member(std::string const& role = "project_editor")
      : member(installation.make_member(owner, role)) {
    page.sign_in(member.user);
    page.open_project(project);
  }
};

}  // namespace svc::test
