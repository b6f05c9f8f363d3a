#pragma once

#include "svc/core/account.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/result.hpp"
#include "svc/core/secret.hpp"
#include "svc/sign_in/denied_passwords.hpp"
#include "svc/sign_in/password_policy.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace svc::sign_in {

/// The cost of a hash (argon2id, RFC 9106, one lane), and the number of threads that compute hashes.
struct password_hash_settings {
  std::size_t memory_kib = 47'104;
  unsigned iterations = 1;
  int threads = 1;
};

/// Hashes and verifies passwords on threads of its own at nice 10, so that the workers go first. A hash takes tens of
/// milliseconds and its memory, so at most `threads` run at a time, and `longest_queue` wait.
///
/// Thread-safe: any coroutine may call it, and resumes on its own executor. A caller that gives up (deadline or
/// cancellation) leaves a job that is skipped.
class password_hasher {
 public:
  static constexpr std::size_t longest_queue = 32;
  /// The name of the account that shows the memory, and its terms.
  static account_terms memory_terms(password_hash_settings const& settings);

  password_hasher(password_hash_settings const& settings, password_rules const& rules, denied_passwords denied,
                  account& memory, metrics& counters);
  password_hasher(password_hasher const&) = delete;
  password_hasher& operator=(password_hasher const&) = delete;
  ~password_hasher() { stop(); }

  struct verification {
    bool matches = false;
    /// A hash by the present settings, if the password matches but the stored hash was made with other settings. The
    /// caller must store it.
    std::optional<std::string> renewed{};
  };
  /// Compares a password with a stored hash. Without one (an unknown account, or one without a password) the same
  /// work is done, so that the time tells nothing. Fails with `overloaded` if the queue is full. Throws `unavailable`
  /// if the deadline passes first.
  task<result<verification>> verify(secret_string password, std::optional<std::string> stored, deadline until);

  /// Returns the text to store (PHC string format, at most 128 bytes), or `std::nullopt` if the operator denies the
  /// password. Fails and throws as `verify` does, and throws `unavailable` if the operator's file cannot be used.
  task<result<std::optional<std::string>>> hash(secret_string password, deadline until);

  /// Hashes a new password that the rules accept, otherwise fails with `validation_failed` and the reason at
  /// `/password`. `known_words` are those of `judge_password`. Otherwise as `hash`.
  task<result<std::string>> hash_new(secret_string password, std::vector<std::string> known_words, deadline until);

  password_rules const& rules() const { return rules_; }

  /// Ends the threads after their present jobs. Callers that wait get `unavailable`, and so do later ones. Call it
  /// when no other thread calls any more, and before the executors of callers end.
  void stop();

  std::size_t waiting() const { return waiting_.load(std::memory_order_relaxed); }

 private:
  template <class Answer, class Work>
  task<result<Answer>> run(Work work, deadline until);

  verification verified(secret_string const& password, std::optional<std::string> const& stored) const;
  std::string hashed(secret_string const& password) const;
  bool enter();
  void leave();
  void work();

  password_hash_settings settings_;
  password_rules rules_;
  denied_passwords denied_;
  account& memory_;
  gauge queue_;
  counter full_;
  std::string dummy_;  ///< belongs to no password
  std::atomic<std::size_t> waiting_{0};
  std::atomic<bool> stopped_{false};
  asio::io_context jobs_;
  std::vector<std::thread> threads_{};
};

}  // namespace svc::sign_in
