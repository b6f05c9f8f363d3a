#pragma once

#include "support/fleet.hpp"

#include <algorithm>

namespace svc::test {

/// Connections to each worker of each instance, so that no memory of a worker goes unasked. A listener hands a new
/// connection to the worker with the fewest, hence two in a row reach both workers of two cores.
inline std::vector<api_client> doors_of(fleet const& to, std::string const& token) {
  constexpr int connections = 2;
  std::vector<api_client> doors;
  for (std::size_t instance = 0; instance < to.size(); ++instance) {
    for (int i = 0; i < connections; ++i) {
      doors.push_back(to.client(instance, token));
      doors.back().get("/livez");
    }
  }
  return doors;
}

/// What each door says to one request: the code of the error, or the status. One text when all agree.
inline std::string said_by(std::vector<api_client>& doors, std::string_view method, std::string_view target) {
  std::vector<std::string> said;
  for (auto& door : doors) {
    auto const got = door.call(method, target);
    auto const code = code_of(got);
    said.push_back(code.empty() ? std::to_string(got.status) : std::to_string(got.status) + " " + code);
  }
  std::sort(said.begin(), said.end());
  said.erase(std::unique(said.begin(), said.end()), said.end());
  std::string text;
  for (auto const& s : said) text += (text.empty() ? "" : " | ") + s;
  return text;
}

inline std::string whoami(std::vector<api_client>& doors) {
  return said_by(doors, "GET", "/api/auth/whoami");
}

}  // namespace svc::test
