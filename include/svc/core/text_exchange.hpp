#pragma once

#include "svc/core/account.hpp"
#include "svc/core/handed_answer.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace svc {

/// A large text that several requests use at the same time, and the part of an account that its bytes hold. Immutable
/// once it is shared; the account outlives it.
struct shared_text {
  std::string text{};
  std::string etag{};  ///< entity tag with its quotes, of a text that is sent as a body
  account_share held;
};
using shared_text_ptr = std::shared_ptr<shared_text const>;

/// The texts that workers share: one worker makes a text, and all others use the same bytes. Owned by the process;
/// outlives the workers and their loops. Thread-safe.
class text_exchange {
 public:
  /// A worker that waits for the text of another worker. The answer is null if the other worker has failed to make
  /// the text.
  using waiter = handed_answer<shared_text_ptr>;

  /// The next step of a worker that needs a text.
  struct turn {
    shared_text_ptr text{};  ///< the worker uses this text, if it is set
    bool makes = false;      ///< the worker makes the text and must call `finish`; otherwise it waits
  };

  text_exchange() = default;
  text_exchange(text_exchange const&) = delete;
  text_exchange& operator=(text_exchange const&) = delete;

  /// `waiter` gets the answer if another worker makes the text. The exchange does not keep it alive.
  turn ask(std::string const& key, std::shared_ptr<waiter> const& waiter);
  /// Hands the text to all waiters. Null: the text was not made, and the waiters may ask again.
  void finish(std::string const& key, shared_text_ptr const& made);
  /// Returns the number of texts that are in use or being made.
  std::size_t size() const;

 private:
  struct entry {
    std::weak_ptr<shared_text const> text{};
    bool being_made = false;
    std::vector<std::weak_ptr<waiter>> waiting{};
  };

  std::mutex mutable lock_{};
  std::unordered_map<std::string, entry> texts_{};
};

}  // namespace svc
