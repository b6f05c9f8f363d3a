#pragma once

#include "app/migrations/database_session.hpp"
#include "app/migrations/migrator.hpp"
#include "support/private_postgres.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace svc::app {

inline constexpr milliseconds patience{20'000};

/// A fresh database for each case, all on one server.
class fresh_database {
 public:
  fresh_database() {
    static test::private_postgres server;
    static int number = 0;
    auto const name = "m" + std::to_string(++number);
    base_ = server.url();
    database_session(secret_string(base_), patience).run("CREATE DATABASE " + name);
    auto text = base_;
    text.replace(text.find("/postgres?"), sizeof("/postgres?") - 1, "/" + name + "?");
    url_ = secret_string(text);
  }

  secret_string const& url() const { return url_; }
  secret_string maintenance() const { return secret_string(base_); }
  database_session connect() const { return {url_, patience}; }
  std::string value(std::string const& sql) const { return connect().run(sql).at(0).at(0).value_or("NULL"); }

 private:
  std::string base_;
  secret_string url_;
};

struct sayings {
  std::vector<std::string> all;
  speaker speak() {
    return [this](std::string const& s) { all.push_back(s); };
  }
  bool has(std::string_view part) const {
    return std::any_of(all.begin(), all.end(), [&](auto const& s) { return s.find(part) != std::string::npos; });
  }
};

}  // namespace svc::app
