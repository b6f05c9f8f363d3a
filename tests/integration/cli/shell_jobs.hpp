#pragma once

#include "integration/cli/svc_process.hpp"
#include "support/https_client.hpp"

#include <doctest/doctest.h>

#include <boost/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace svc::test {

/// `svcd dev` with its runner, and jobs of shell scripts. One for each file of tests.
struct shell_jobs {
  explicit shell_jobs(std::vector<std::string> const& environment = {})
      : dev(directory.path(), {with_runner}, environment),
        api(dev.text("url"), dev.text("caFile"), dev.text("token")) {}

  boost::json::object made(std::string const& path, boost::json::object const& body) {
    auto const got = api.post(path, boost::json::serialize(body));
    REQUIRE_MESSAGE(got.status / 100 == 2, got.body);
    return boost::json::parse(got.body).as_object();
  }
  static std::string text(boost::json::object const& object, std::string_view member) {
    return std::string(object.at(member).as_string());
  }
  struct script {
    std::string title, text;
  };
  /// The id of a job of these tests. `more`: further members.
  std::string job(std::vector<script> const& scripts, boost::json::object more = {}) {
    boost::json::array tests;
    for (auto const& each : scripts) {
      auto const test = made("/api/tests", {{"title", each.title}, {"type", "command"}, {"script", each.text}});
      tests.push_back({{"id", test.at("id")}});
    }
    if (!more.contains("name")) more["name"] = boost::json::string("job " + scripts.front().title);
    more["jobType"] = "command";
    more["tests"] = std::move(tests);
    return text(made("/api/jobs", more), "id");
  }
  std::string triggered(std::string const& job_id) {
    auto const got = made("/api/jobs/" + job_id + "/trigger", {});
    return std::string(got.at("data").at("runId").as_string());
  }
  std::string new_token(std::string const& name, std::string* id = nullptr) {
    auto const token = made("/api/cli-tokens", {{"name", name}}).at("token").as_object();
    if (id != nullptr) *id = text(token, "id");
    return text(token, "key");
  }
  long long runs() {
    return boost::json::parse(api.get("/api/runs?limit=1").body).at("pagination").at("total").to_number<long long>();
  }
  boost::json::object run(std::string const& id) {
    return boost::json::parse(api.get("/api/runs/" + id).body).as_object();
  }
  std::string status(std::string const& id) { return text(run(id), "status"); }
  bool ends(std::string const& id) {
    for (int i = 0; i < 5; ++i) {
      auto const now = boost::json::parse(api.get("/api/runs/" + id + "?wait=8").body).as_object();
      if (!now.at("completedAt").is_null()) return true;
    }
    return false;
  }
  invocation with(std::vector<std::string> arguments, std::vector<std::string> const& more = {}) {
    return {.arguments = std::move(arguments), .environment = environment_of(dev, more)};
  }

  temporary_directory directory;
  dev_service dev;
  support::api_client api;
};

/// Returns the run that ends the output, in one line.
inline boost::json::object printed_run(svc_result const& got) {
  REQUIRE_MESSAGE(std::count(got.out.begin(), got.out.end(), '\n') == 1, got.out << got.err);
  return boost::json::parse(got.out).as_object();
}

}  // namespace svc::test
