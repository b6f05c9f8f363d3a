#include "support/openid_provider.hpp"

#include "support/free_port.hpp"
#include "support/https_client.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

namespace svc::test {
namespace {

std::string const folder = SVC_OPENID_PROVIDER;

void install() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (std::system((folder + "/install.sh").c_str()) != 0)
      throw std::runtime_error("npm could not install oidc-provider; does this machine reach the npm registry?");
  });
}

/// A word of a shell's command.
std::string quoted_word(std::string const& text) {
  return "'" + text + "'";
}

}  // namespace

openid_provider::openid_provider(options options) : port_(free_port()) {
  install();
  ca_file_ = files_.write("ca.pem", authority_.authority);
  boost::json::object const client{
      {"client_id", "svc"},
      {"client_secret", client_secret},
      {"redirect_uris", {options.redirect_url}},
      {"id_token_signed_response_alg", options.algorithm},
      {"token_endpoint_auth_method", options.basic ? "client_secret_basic" : "client_secret_post"}};
  boost::json::object const settings{{"port", port_},
                                     {"certificate", files_.write("cert.pem", authority_.certificate)},
                                     {"key", files_.write("key.pem", authority_.key)},
                                     {"basic", options.basic},
                                     {"clients", boost::json::array{client}}};
  auto const file = files_.write("settings.json", boost::json::serialize(settings));
  process_ = std::make_unique<service>(std::vector<std::string>{"node", folder + "/provider.mjs", file},
                                       std::vector<std::string>{}, "/usr/bin/env");
  auto const is_ready = [](std::string const& line) { return line == "ready"; };
  if (!process_->out().wait_line(is_ready, std::chrono::seconds(60)))
    throw std::runtime_error("oidc-provider did not start: " + process_->err().text());
}

void openid_provider::use_account(boost::json::object const& account) {
  support::https_client client(issuer(), ca_file_);
  auto const done =
      client.request("PUT", "/account", {{"Content-Type", "application/json"}}, boost::json::serialize(account));
  if (done.status != 204) throw std::runtime_error("oidc-provider does not take the account");
}

std::string redirected_browser::follow(std::string url, std::string const& until) {
  auto const jar = cookies_.path() + "/jar";
  for (int hop = 0; hop < 10 && !url.empty() && !url.starts_with(until); ++hop) {
    auto const command = "curl -s -o /dev/null -w '%{redirect_url}' --max-time 20 --cacert " + quoted_word(ca_file_) +
                         " -c " + quoted_word(jar) + " -b " + quoted_word(jar) + " " + quoted_word(url);
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> const output(popen(command.c_str(), "r"), &pclose);
    char text[8192] = {};
    url.assign(text, std::fread(text, 1, sizeof text, output.get()));
  }
  return url;
}

}  // namespace svc::test
