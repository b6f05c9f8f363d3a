#pragma once

#include "support/fleet.hpp"

#include <algorithm>

namespace svc::test {

/// Connections to each worker of each instance, so that the memory of every worker is used. A listener gives a new
/// connection to the worker with the fewest, so two in a row reach both workers of two cores.
inline std::vector<api_client> connections_of(fleet const& fleet, std::string const& token) {
  constexpr int of_each_instance = 2;
  std::vector<api_client> connections;
  for (std::size_t instance = 0; instance < fleet.size(); ++instance) {
    for (int i = 0; i < of_each_instance; ++i) {
      connections.push_back(fleet.client(instance, token));
      connections.back().get("/livez");
    }
  }
  return connections;
}

/// Returns the answer of each connection to one request: the code of the error, or the status. One text if all agree.
inline std::string answers_by(std::vector<api_client>& connections, std::string_view method,
                              std::string_view target) {
  std::vector<std::string> said;
  for (auto& connection : connections) {
    auto const got = connection.call(method, target);
    auto const code = code_of(got);
    said.push_back(code.empty() ? std::to_string(got.status) : std::to_string(got.status) + " " + code);
  }
  std::sort(said.begin(), said.end());
  said.erase(std::unique(said.begin(), said.end()), said.end());
  std::string text;
  for (auto const& s : said) text += (text.empty() ? "" : " | ") + s;
  return text;
}

inline std::string whoami(std::vector<api_client>& connections) {
  return answers_by(connections, "GET", "/api/auth/whoami");
}

}  // namespace svc::test
