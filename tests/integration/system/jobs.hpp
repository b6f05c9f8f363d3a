#pragma once

#include "support/fleet.hpp"

namespace svc::test {

/// A job with one test, which can be triggered. `more`: further members of the job, such as `"enabled":false`.
inline std::string make_job(api_client& client, std::string const& more = {}) {
  auto const test = client.post("/api/tests", R"({"title":"t","type":"command","script":"true"})");
  auto const id = text_of(body_of(test), "/id");
  auto const job = client.post("/api/jobs", R"({"name":"j","jobType":"command","tests":[{"id":")" + id + R"("}])" +
                                                (more.empty() ? "" : "," + more) + "}");
  return text_of(body_of(job), "/id");
}

inline std::string trigger_path(std::string const& job) {
  return "/api/jobs/" + job + "/trigger";
}

struct trigger_key {
  std::string id, key;
};

/// `more`: further members of the key, such as `"rateLimit":{...}`.
inline trigger_key make_key(api_client& client, std::string const& job, std::string const& name,
                            std::string const& more = {}) {
  auto const got = client.post("/api/jobs/" + job + "/trigger-keys",
                               R"({"name":")" + name + "\"" + (more.empty() ? "" : "," + more) + "}");
  return {text_of(body_of(got), "/triggerKey/id"), text_of(body_of(got), "/triggerKey/key")};
}

}  // namespace svc::test
