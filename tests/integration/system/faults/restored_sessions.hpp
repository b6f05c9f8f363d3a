#pragma once

#include "integration/system/sessions/browser.hpp"
#include "restored_database.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

namespace svc::test {

/// People whose sessions begin and end around the time of a restore. cleo and eve sign out after it, but the operator
/// repeats only cleo's sign-out. dora keeps a session, and signs in once more after the time.
class restored_sessions {
 public:
  restored_sessions(restored_database const& database, fleet const& files) : database_(database), files_(files) {
    for (std::string const name : {"cleo", "dora", "eve"}) {
      database_.admin({"create-user", "--email", address_of(name), "--name", name});
      links_[name] = new_link(name);
    }
    late_link_ = new_link("dora");
  }

  void begin(std::string const& url) {
    for (auto const& [name, link] : links_) cookies_[name] = sign_in(url, link);
  }

  /// Makes changes after the time, which are lost.
  void change(std::string const& url) {
    for (char const* name : {"cleo", "eve"}) {
      CHECK(page_of(url, cookies_[name]).post("/dashboard/v1/sign-out").status == 204);
      CHECK(code_of(page_of(url, cookies_[name]).get("/dashboard/v1/me")) == "session_ended");
    }
    cookies_["late"] = sign_in(url, late_link_);
  }

  /// The operator's step for each `session.ended` of the lost changes.
  void repeat_end() const { database_.admin({"end-sessions", "--user", address_of("cleo")}); }

  void check_restored(std::string const& url) {
    CHECK(code_of(page_of(url, cookies_["cleo"]).get("/dashboard/v1/me")) == "session_ended");
    CHECK(page_of(url, cookies_["eve"]).get("/dashboard/v1/me").status == 200);
    CHECK(page_of(url, cookies_["dora"]).get("/dashboard/v1/me").status == 200);
    CHECK(code_of(page_of(url, cookies_["late"]).get("/dashboard/v1/me")) == "session_invalid");
    // The link was used after the time, so it works once more.
    sign_in(url, late_link_);
    CHECK(code_of(browser(files_, client(url)).post("/dashboard/v1/sign-in/link", one_member("token", late_link_))) ==
          "link_over");
  }

 private:
  using cookie_jar = std::map<std::string, std::string>;

  static std::string address_of(std::string const& name) { return name + "@example.org"; }
  api_client client(std::string const& url) const { return {url, files_.text("caFile"), {}}; }

  std::string new_link(std::string const& name) const {
    auto const link = text_of(database_.admin({"create-sign-in-link", "--user", address_of(name)}), "/link");
    return link.substr(link.find('#') + 1);
  }
  cookie_jar sign_in(std::string const& url, std::string const& link) const {
    browser page(files_, client(url));
    auto const got = page.post("/dashboard/v1/sign-in/link", one_member("token", link));
    REQUIRE_MESSAGE(got.status == 200, got.body);
    return page.cookies();
  }
  browser page_of(std::string const& url, cookie_jar const& cookies) const {
    browser page(files_, client(url));
    page.cookies() = cookies;
    return page;
  }

  restored_database const& database_;
  fleet const& files_;
  std::map<std::string, std::string> links_;
  std::map<std::string, cookie_jar> cookies_;
  std::string late_link_;
};

}  // namespace svc::test
