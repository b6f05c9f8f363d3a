#pragma once

#include "browser.hpp"

#include "integration/sign_in/forging_provider.hpp"
#include "support/free_port.hpp"
#include "support/openid_provider.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace svc::test {

inline constexpr char const* flow_cookie_name = "__Host-svc_flow";

/// An instance with identity providers on the stores of `session_fleet`, whose own instances have none. `corp` is the
/// certified provider and manages corp.example, `forger` is scripted and manages forged.example, and nothing listens
/// where `dead` should be. Create it on the main thread.
class identity_instance {
 public:
  fleet& installation = session_fleet();
  tenant owner = installation.make_tenant();

 private:
  int port_ = free_port();

 public:
  openid_provider provider{openid_provider::options{.redirect_url = redirect_url("corp")}};
  forging_provider forger;

  std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }
  std::string redirect_url(std::string const& id) const {
    return url() + "/dashboard/v1/sign-in/oidc/" + id + "/callback";
  }
  /// Returns a new browser on the page of this instance.
  browser page() const { return {installation, api_client(url(), installation.text("caFile"), {})}; }

  service& process() { return process_.process(); }
  api_client pages() const { return {process_.admin_url(), {}, {}}; }

  /// Starts a sign-in and returns the address of the provider.
  std::string start(browser& visitor, std::string const& id = "corp", std::string const& page = "/app/jobs") const {
    auto const got = visitor.post("/dashboard/v1/sign-in/oidc/" + id + "/start", R"({"returnTo":")" + page + R"("})");
    if (got.status != 200) throw std::runtime_error("no start: " + got.body);
    return text_of(body_of(got), "/location");
  }
  /// Visits the certified provider, where the person of its last account signs in, and returns the callback's target.
  std::string visit(std::string const& location) const {
    redirected_browser elsewhere(provider.ca_file());
    auto const back = elsewhere.follow(location, redirect_url("corp"));
    if (!back.starts_with(url())) throw std::runtime_error("no way back from " + location);
    return back.substr(url().size());
  }
  /// Signs in at the certified provider and returns the answer to the callback.
  answer sign_in(browser& visitor, std::string const& page = "/app/jobs") const {
    return visitor.navigate(visit(start(visitor, "corp", page)));
  }

 private:
  std::string tables() const {
    auto const table = [&](std::string const& id, std::string const& issuer, std::string const& more) {
      return "[[sign_in.oidc]]\nid = '" + id + "'\nissuer = '" + issuer +
             "'\nclient_id = 'svc'\nclient_secret_file = '" + files_.write("secret", openid_provider::client_secret) +
             "'\n" + more;
    };
    auto const membership = "organization = '" + owner.organization + "'\nrole = 'org_member'\n";
    return "[[listeners]]\naddress = '127.0.0.1:" + std::to_string(port_) + "'\n" +
           table("corp", provider.issuer(),
                 "name = 'Corporate login'\nscopes = ['openid', 'email', 'profile', 'groups']\n"
                 "domains = ['corp.example']\ngroups_claim = 'groups'\n" +
                     membership) +
           table("forger", forger.issuer(), "domains = ['forged.example']\n" + membership) +
           table("dead", "https://127.0.0.1:" + std::to_string(free_port()), "") +
           "[[sign_in.groups]]\nprovider = 'corp'\ngroup = 'dev'\norganization = '" + owner.organization +
           "'\nproject = 'shop'\nrole = 'project_editor'\n";
  }
  std::vector<std::string> environment() const {
    std::vector<std::string> out{
        "SVC_PUBLIC_URL=" + url(),
        "SVC_OUTGOING_CA_FILE=" +
            files_.write("authorities.pem", provider.authority().authority + forger.authority())};
    out.insert(out.end(), installation.environment().begin(), installation.environment().end());
    return out;
  }

  temporary_directory files_;
  configured_service process_{installation.dev(), tables(), environment()};
};

inline identity_instance& identity_service() {
  static identity_instance place;
  return place;
}

/// Returns the value of a parameter of an address that needs no decoding, such as `state`.
inline std::string parameter_of(std::string const& url, std::string const& name) {
  auto const found = url.find(name + "=");
  if (found == std::string::npos) return {};
  auto const begin = found + name.size() + 1;
  return url.substr(begin, url.find('&', begin) - begin);
}

inline std::string page_of(answer const& redirect) {
  return redirect.status == 303 ? redirect.header("location").value_or("") : std::to_string(redirect.status);
}

inline constexpr char const* refused_page = "/app/sign-in?error=sign_in_refused";

}  // namespace svc::test
