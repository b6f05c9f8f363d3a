#pragma once

#include "integration/cli/svc_process.hpp"
#include "support/https_client.hpp"
#include "support/metrics_page.hpp"
#include "support/service.hpp"
#include "support/temporary_directory.hpp"

#include <boost/json/parse.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace svc::test {

/// A `svcd dev` for all cases of a file, without a runner.
inline dev_service& service_of_this_file() {
  static temporary_directory const directory;
  static dev_service service(directory.path() + "/data");
  return service;
}

/// A user at a desk: a separate home directory, and the commands that the user runs there. `SERVICE_URL` and
/// `SERVICE_CACERT` name the service; there is no token.
class user_desk {
 public:
  explicit user_desk(dev_service& service = service_of_this_file()) : service_(service) {}

  std::string const& home() const { return home_.path(); }
  std::string config() const { return home() + "/.config/svc"; }
  std::string cache() const { return home() + "/.cache/svc"; }

  std::vector<std::string> address() const {
    return {"SERVICE_URL=" + service_.text("url"), "SERVICE_CACERT=" + service_.text("caFile")};
  }
  std::vector<std::string> with_token(std::vector<std::string> more = {}) const {
    more.push_back("SERVICE_TOKEN=" + service_.text("token"));
    return more;
  }

  /// `environment` is added to the address; a variable there overrides the address.
  svc_result run(std::vector<std::string> const& arguments, std::vector<std::string> const& environment = {},
                 std::string const& input = {}, std::string const& directory = {}) const {
    auto all = environment;
    for (auto const& each : address()) {
      auto const name = each.substr(0, each.find('=') + 1);
      bool given = false;
      for (auto const& other : environment) given = given || other.starts_with(name);
      if (!given) all.push_back(each);
    }
    return run_svc(
        {.arguments = arguments, .environment = all, .input = input, .directory = directory, .home = home()});
  }

  /// Writes a file below the home, with its directories.
  std::string write(std::string const& name, std::string const& content) const {
    std::filesystem::create_directories(std::filesystem::path(home() + "/" + name).parent_path());
    return home_.write(name, content);
  }

  /// Returns the files below the home that contain `text`, with their modes: `/.config/svc/credentials.json 600`.
  std::vector<std::string> files_with(std::string const& text) const {
    std::vector<std::string> out;
    for (auto const& entry : std::filesystem::recursive_directory_iterator(home())) {
      std::ifstream file(entry.path(), std::ios::binary);
      std::ostringstream content;
      content << file.rdbuf();
      if (!entry.is_regular_file() || content.str().find(text) == std::string::npos) continue;
      std::ostringstream mode;
      mode << std::oct << static_cast<unsigned>(entry.status().permissions());
      out.push_back(entry.path().string().substr(home().size()) + " " + mode.str());
    }
    return out;
  }

 private:
  temporary_directory home_;
  dev_service& service_;
};

/// Returns how often the service has answered requests of a route, such as `GET /api/auth/whoami`; empty: all.
inline double answered(dev_service& service, std::string const& route) {
  support::https_client admin(service.text("adminUrl"), "");
  auto const page = admin.request("GET", "/metrics").body;
  if (route.empty()) return sum_of(page, "http_server_requests_total");
  auto const space = route.find(' ');
  return sum_of(page, "http_server_requests_total{http_request_method=\"" + route.substr(0, space) + "\"",
                "http_route=\"" + route.substr(space + 1) + "\"");
}

/// Creates a token of the service by its API.
inline std::string new_token(dev_service& service, std::string const& name, int expires_in) {
  support::https_client api(service.text("url"), service.text("caFile"));
  auto const made =
      api.request("POST", "/api/cli-tokens",
                  {{"Authorization", "Bearer " + service.text("token")}, {"Content-Type", "application/json"}},
                  "{\"name\": \"" + name + "\", \"expiresIn\": " + std::to_string(expires_in) + "}");
  return std::string(boost::json::parse(made.body).at("token").at("key").as_string());
}

}  // namespace svc::test
