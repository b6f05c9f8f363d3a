#pragma once

#include "jobs.hpp"

#include <map>
#include <mutex>
#include <random>
#include <set>

namespace svc::test {

/// A client whose answers differ from everybody else's.
struct identity {
  std::string token{}, token_id{}, project{};
  std::string test_id{}, title{};
  std::string job{}, key{};  ///< the job's trigger key
};

/// A request and what belongs to it.
struct asked {
  enum class about { self, test, own_token, run } content = about::self;
  identity const* identity = nullptr;
  std::string id{};

  std::string bytes(std::string const& host) const {
    static constexpr char const* paths[] = {"/api/auth/whoami", "/api/tests/", "/api/cli-tokens/", "/api/jobs/"};
    std::string path = paths[static_cast<int>(content)];
    if (content == about::test) path += identity->test_id;
    if (content == about::own_token) path += identity->token_id;
    if (content == about::run) path += identity->job + "/trigger";
    std::string out = content == about::run ? "POST " : "GET ";
    out += path + " HTTP/1.1\r\nHost: " + host + "\r\nX-Request-Id: " + id;
    out += "\r\nAuthorization: Bearer " + (content == about::run ? identity->key : identity->token);
    if (content == about::run) out += "\r\nIdempotency-Key: " + id + "\r\nContent-Length: 0";
    return out + "\r\n\r\n";
  }
};

/// Checks which request each answer belongs to. Several clients report to it at the same time.
class identity_checker {
 public:
  struct tally {
    long long answers = 0, good = 0, unavailable = 0, foreign = 0, broken = 0;
    std::map<std::string, long long> entries{};  ///< of the foreign ones
  };

  /// An answer belongs to its request if it echoes the id and is about the token that asked; a valid token may only
  /// get success and 503 (a trigger's key may be busy: 409).
  void hear(asked const& question, answer const& got) {
    std::lock_guard const lock(mutex_);
    ++seen_.answers;
    auto const wrong = what_is_wrong(question, got);
    if (wrong.empty()) {
      ++(got.status == 503 || got.status == 409 ? seen_.unavailable : seen_.good);
      return;
    }
    ++seen_.foreign;
    ++seen_.entries[wrong];
  }
  void broke_off() {
    std::lock_guard const lock(mutex_);
    ++seen_.broken;
  }
  tally seen() const {
    std::lock_guard const lock(mutex_);
    return seen_;
  }
  /// The run in the answer to each trigger, by idempotency key.
  std::map<std::string, std::string> const& runs() const { return runs_; }

 private:
  std::string what_is_wrong(asked const& question, answer const& got) {
    if (got.header("x-request-id").value_or("") != question.id) return "another request's id";
    auto const body = body_of(got);
    if (got.status >= 400) {
      if (text_of(body, "/requestId") != question.id) return "another request's error";
      bool const busy = got.status == 503 || (got.status == 409 && question.content == asked::about::run);
      return busy ? "" : "a good token hears " + std::to_string(got.status);
    }
    switch (question.content) {
      case asked::about::self:
        if (text_of(body, "/id") != question.identity->token_id) return "another token";
        return text_of(body, "/project/id") == question.identity->project ? "" : "another project";
      case asked::about::test:
        if (text_of(body, "/id") != question.identity->test_id) return "another test";
        return text_of(body, "/title") == question.identity->title ? "" : "another test's title";
      case asked::about::own_token:
        return text_of(body, "/id") == question.identity->token_id ? "" : "another token's page";
      case asked::about::run:
        if (got.status != 202) return "no trigger's answer";
        return runs_.emplace(question.id, text_of(body, "/data/runId")).second ? "" : "an id used twice";
    }
    return "nobody's";
  }

  mutable std::mutex mutex_;
  tally seen_{};
  std::map<std::string, std::string> runs_{};
};

}  // namespace svc::test
