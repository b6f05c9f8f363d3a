#pragma once

#include "integration/system/stored_texts.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace svc::test {

/// Everything in which a secret may stay: both stores of an installation, and what its processes log, show and have
/// as arguments.
class searched_places {
 public:
  explicit searched_places(fleet& installation) {
    add("PostgreSQL", dump_postgres(installation));
    add("Redis", dump_redis(installation));
  }

  void add(std::string const& place, std::string content) { texts_.emplace_back(place, std::move(content)); }

  void add_process(service& process, api_client pages) {
    add("log", process.err().text());
    add("output", process.out().text());
    add("metrics", pages.get("/metrics").body);
    add("configuration", pages.get("/debug/config").body);
    add("argv", read_file("/proc/" + std::to_string(process.pid()) + "/cmdline"));
  }

  /// Returns true if all texts of this place contain the words, so that the search is not of empty texts.
  bool all_contain(std::string const& place, std::string const& words) const {
    bool found = false;
    for (auto const& [name, content] : texts_)
      if (name == place) {
        if (content.find(words) == std::string::npos) return false;
        found = true;
      }
    return found;
  }

  /// Looks for the secrets, also for the random part alone, and in the form in which bytea is shown.
  void check_absence(std::map<std::string, std::string> const& secrets) const {
    for (auto const& [name, secret] : secrets) {
      CAPTURE(name);
      REQUIRE(secret.size() >= 10);
      auto const part = secret.size() > 40 ? secret.substr(secret.size() - 25) : secret;
      for (auto const& [place, content] : texts_) {
        CAPTURE(place);
        CHECK(content.find(part) == std::string::npos);
        CHECK(content.find(hex(part)) == std::string::npos);
      }
    }
  }

 private:
  std::vector<std::pair<std::string, std::string>> texts_;
};

}  // namespace svc::test
