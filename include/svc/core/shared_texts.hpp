#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/single_flight.hpp"
#include "svc/core/text_exchange.hpp"

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace svc {

/// Returns a pointer to the bytes only, which keeps the whole text and its share alive.
inline std::shared_ptr<std::string const> bytes_of(shared_text_ptr const& text) {
  return {text, &text->text};
}

/// Large texts by their keys. All requests for a key share one text, which is made once and lives as long as a
/// request uses it. With an exchange, the requests of all workers share it. Worker-local; the loop must not run after
/// this object has ended.
class shared_texts {
 public:
  /// Makes a text, or returns an error; null if the text does not exist. Throws `unavailable`. The function
  /// must own what it needs, because the request that passed it may end first.
  using maker = std::function<task<result<shared_text_ptr>>()>;

  /// The workers share `exchange`, which outlives this object. Null: this worker has texts of its own.
  explicit shared_texts(asio::io_context& io, text_exchange* exchange = nullptr) : io_(io), exchange_(exchange) {}
  shared_texts(shared_texts const&) = delete;
  shared_texts& operator=(shared_texts const&) = delete;

  /// Returns the text if this worker uses it now; otherwise null.
  shared_text_ptr in_use(std::string const& key) const;
  /// Returns the text in use, or the one that `make` makes. Rethrows exceptions of `make`. Throws
  /// `unavailable` at the deadline; `make` then continues for callers that wait longer.
  task<result<shared_text_ptr>> find(std::string key, maker make, deadline until);

 private:
  struct outcome {
    std::optional<result<shared_text_ptr>> made{};
    std::exception_ptr failure{};
  };
  using flights = single_flight<std::string, outcome>;

  task<> fly(std::string key, flights::flight_ptr flight, maker make, deadline until);
  task<result<shared_text_ptr>> get(std::string key, maker make, deadline until);
  void keep(std::string const& key, shared_text_ptr const& text);

  asio::io_context& io_;
  text_exchange* exchange_;
  flights flights_{};
  std::unordered_map<std::string, std::weak_ptr<shared_text const>> texts_{};
};

}  // namespace svc
