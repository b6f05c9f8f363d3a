#pragma once

#include "support/fleet.hpp"

#include <boost/json.hpp>

#include <string>

namespace svc::test {

/// A runner for tests: it uses a listener of kind `internal`, one request at a time.
class runner_client {
 public:
  runner_client(std::string url, std::string ca_file, std::string token)
      : api_(std::move(url), std::move(ca_file), std::move(token)) {}

  answer enroll(std::string const& name = "by hand") {
    auto got = post("register", {{"name", name}, {"version", "1"}, {"labels", {"command"}}, {"slots", 1}});
    if (got.status == 200) id_ = text_of(body_of(got), "/executorId");
    return got;
  }
  answer claim(int wait_seconds = 0, int most = 1) {
    return post("claim",
                {{"executorId", id_}, {"labels", {"command"}}, {"max", most}, {"waitSeconds", wait_seconds}});
  }
  answer heartbeat(boost::json::value const& claim, int wait_seconds = 0) {
    return of(claim, "heartbeat", {{"waitSeconds", wait_seconds}});
  }
  answer print(boost::json::value const& claim, int seq, std::string const& line) {
    return of(claim, "output", {{"lines", {{{"seq", seq}, {"stream", "stdout"}, {"text", line}}}}});
  }
  answer complete(boost::json::value const& claim, std::string const& status, int last_seq = 0) {
    return of(claim, "complete", end_of(claim, status, last_seq));
  }
  /// With its whole output, which is that line.
  answer complete_with(boost::json::value const& claim, std::string const& line) {
    auto body = end_of(claim, "passed", 1);
    body["wholeOutput"] = {{{"stream", "stdout"}, {"text", line}}};
    return of(claim, "complete", std::move(body));
  }
  answer release(boost::json::value const& claim) { return of(claim, "release", {}); }

  answer post(std::string const& path, boost::json::object const& body) {
    return api_.post("/internal/v1/" + path, boost::json::serialize(body));
  }
  std::string const& id() const { return id_; }
  api_client& api() { return api_; }

 private:
  static boost::json::object end_of(boost::json::value const& claim, std::string const& status, int last_seq) {
    boost::json::array tests;
    for (auto const& test : claim.at("tests").as_array()) {
      // A test that was not reached has no result.
      if (status != "cancelled") tests.push_back({{"id", test.at("id")}, {"status", status}, {"durationMs", 1}});
    }
    return {{"status", status}, {"lastSeq", last_seq}, {"tests", std::move(tests)}};
  }
  answer of(boost::json::value const& claim, std::string const& subject, boost::json::object body) {
    body["claimId"] = claim.at("claimId");
    return post("runs/" + std::string(claim.at("runId").as_string()) + "/" + subject, body);
  }

  api_client api_;
  std::string id_;
};

/// The claims of an answer.
inline boost::json::array claims_of(answer const& answer) {
  if (answer.status != 200) throw std::runtime_error("claim: " + std::to_string(answer.status) + " " + answer.body);
  return body_of(answer).at("claims").as_array();
}

/// Lines of configuration: one public listener and one for runners.
inline std::string const both_kinds =
    "[[listeners]]\naddress = '127.0.0.1:0'\n[[listeners]]\naddress = '127.0.0.1:0'\nkind = 'internal'\n";

}  // namespace svc::test
