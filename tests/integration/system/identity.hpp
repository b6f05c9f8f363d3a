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
  enum class about { self, test, own_token, run } what = about::self;
  identity const* who = nullptr;
  std::string id{};

  std::string bytes(std::string const& host) const {
    static constexpr char const* paths[] = {"/api/auth/whoami", "/api/tests/", "/api/cli-tokens/", "/api/jobs/"};
    std::string path = paths[static_cast<int>(what)];
    if (what == about::test) path += who->test_id;
    if (what == about::own_token) path += who->token_id;
    if (what == about::run) path += who->job + "/trigger";
    std::string out = what == about::run ? "POST " : "GET ";
    out += path + " HTTP/1.1\r\nHost: " + host + "\r\nX-Request-Id: " + id;
    out += "\r\nAuthorization: Bearer " + (what == about::run ? who->key : who->token);
    if (what == about::run) out += "\r\nIdempotency-Key: " + id + "\r\nContent-Length: 0";
    return out + "\r\n\r\n";
  }
};

/// Checks which request each answer belongs to. Several clients report to it at the same time.
class identity_checker {
 public:
  struct tally {
    long long answers = 0, good = 0, unavailable = 0, foreign = 0, broken = 0;
    std::map<std::string, long long> how{};  ///< of the foreign ones
  };

  /// An answer belongs to its request if it echoes the id and is about the token that asked; a valid token may only
  /// get success and 503 (a trigger's key may be busy: 409).
  void hear(asked const& from, answer const& got) {
    std::lock_guard const lock(mutex_);
    ++seen_.answers;
    auto const wrong = what_is_wrong(from, got);
    if (wrong.empty()) {
      ++(got.status == 503 || got.status == 409 ? seen_.unavailable : seen_.good);
      return;
    }
    ++seen_.foreign;
    ++seen_.how[wrong];
  }
  void broke_off() {
    std::lock_guard const lock(mutex_);
    ++seen_.broken;
  }
  tally seen() const {
    std::lock_guard const lock(mutex_);
    return seen_;
  }
  /// The run that each trigger was told of, by idempotency key.
  std::map<std::string, std::string> const& runs() const { return runs_; }

 private:
  std::string what_is_wrong(asked const& from, answer const& got) {
    if (got.header("x-request-id").value_or("") != from.id) return "another request's id";
    auto const body = body_of(got);
    if (got.status >= 400) {
      if (text_of(body, "/requestId") != from.id) return "another request's error";
      bool const busy = got.status == 503 || (got.status == 409 && from.what == asked::about::run);
      return busy ? "" : "a good token hears " + std::to_string(got.status);
    }
    switch (from.what) {
      case asked::about::self:
        if (text_of(body, "/id") != from.who->token_id) return "another token";
        return text_of(body, "/project/id") == from.who->project ? "" : "another project";
      case asked::about::test:
        if (text_of(body, "/id") != from.who->test_id) return "another test";
        return text_of(body, "/title") == from.who->title ? "" : "another test's title";
      case asked::about::own_token:
        return text_of(body, "/id") == from.who->token_id ? "" : "another token's page";
      case asked::about::run:
        if (got.status != 202) return "no trigger's answer";
        return runs_.emplace(from.id, text_of(body, "/data/runId")).second ? "" : "an id used twice";
    }
    return "nobody's";
  }

  mutable std::mutex mutex_;
  tally seen_{};
  std::map<std::string, std::string> runs_{};
};

}  // namespace svc::test
