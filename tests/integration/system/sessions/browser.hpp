#pragma once

#include "support/fleet.hpp"

#include <map>
#include <string>
#include <string_view>

namespace svc::test {

/// A browser with a cookie jar on one page of the service: it sends what browsers send with a page's own requests.
/// One thread at a time.
class browser {
 public:
  explicit browser(fleet const& installation, std::size_t instance = 0)
      : installation_(installation), client_(installation.client(instance)) {}

  /// Continues on another instance, with the same cookies.
  void move_to(std::size_t instance) { client_ = installation_.client(instance); }
  /// The project that requests name; empty: none.
  void open_project(std::string id) { project_ = std::move(id); }

  answer call(std::string_view method, std::string_view target, std::string_view body = {}, header_list more = {}) {
    more.emplace_back("Sec-Fetch-Site", "same-origin");
    if (!project_.empty()) more.emplace_back("Svc-Project", project_);
    if (!body.empty()) more.emplace_back("Content-Type", "application/json");
    std::string jar;
    for (auto const& [name, content] : cookies_) jar += (jar.empty() ? "" : "; ") + name + "=" + content;
    if (!jar.empty()) more.emplace_back("Cookie", jar);
    auto got = client_.http().request(method, target, more, body);
    for (auto const& [name, content] : got.headers)
      if (name == "set-cookie") keep(content);
    return got;
  }
  answer get(std::string_view target) { return call("GET", target); }
  answer post(std::string_view target, std::string_view body = {}) { return call("POST", target, body); }

  /// Signs in by a new link of the operator; throws if that fails.
  void sign_in(std::string const& user) {
    auto const made = installation_.admin({"create-sign-in-link", "--user", user});
    auto const link = text_of(made, "/link");
    auto const token = link.substr(link.find('#') + 1);
    auto const got = post("/dashboard/v1/sign-in/link", R"({"token":")" + token + R"("})");
    if (got.status != 200) throw std::runtime_error("no sign-in: " + got.body);
  }

  std::string const& cookie(std::string const& name) const { return cookies_.at(name); }
  std::map<std::string, std::string>& cookies() { return cookies_; }

 private:
  void keep(std::string const& field) {
    auto const end = field.find(';'), equals = field.find('=');
    auto const name = field.substr(0, equals);
    if (field.find("Max-Age=0") != std::string::npos)
      cookies_.erase(name);
    else
      cookies_[name] = field.substr(equals + 1, end - equals - 1);
  }

  fleet const& installation_;
  api_client client_;
  std::map<std::string, std::string> cookies_;
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
