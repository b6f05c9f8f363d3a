#pragma once

#include "svc/access/authenticator.hpp"
#include "svc/access/read_budget.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/pending.hpp"
#include "svc/domain/principal.hpp"
#include "svc/store/auth_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace svc::access {

/// Who waits, by address: an address has its share of the room, and of what is taken at once. So one that guesses
/// keeps neither others out nor waiting. Worker-local; pure.
template <class T>
class fair_line {
 public:
  explicit fair_line(std::size_t room) : room_(room) {}

  /// False when this address has its share of the room: the room over the addresses that wait, at least one place.
  bool push(std::string_view address, T one) {
    auto const known = of_.find(std::string(address));
    std::size_t const mine = known == of_.end() ? 0 : known->second.size();
    std::size_t const askers = of_.size() + (known == of_.end() ? 1 : 0);
    if (mine >= std::max<std::size_t>(1, room_ / askers) || (mine == 0 && askers > room_)) return false;
    auto& line = known == of_.end() ? of_[turns_.emplace_back(address)] : known->second;
    line.push_back(std::move(one));
    ++size_;
    return true;
  }

  /// The first of each address, then the second of each, and so on; the next time begins where this one ended.
  std::vector<T> take(std::size_t most) {
    std::vector<T> out;
    out.reserve(std::min(most, size_));
    while (out.size() < most && !turns_.empty()) {
      auto address = std::move(turns_.front());
      turns_.pop_front();
      auto const line = of_.find(address);
      out.push_back(std::move(line->second.front()));
      line->second.pop_front();
      --size_;
      if (line->second.empty()) {
        of_.erase(line);
      } else {
        turns_.push_back(std::move(address));
      }
    }
    return out;
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

 private:
  std::size_t room_;
  std::size_t size_ = 0;
  std::unordered_map<std::string, std::deque<T>> of_;  ///< never an empty one
  std::deque<std::string> turns_;                      ///< each address in `of_` once
};

/// Which rate pays for a read, and who asks: tokens that nobody has seen share its places by address.
struct read_payer {
  bool seen = false;
  std::string address{};  ///< of unseen ones
};

/// Auth reads that share statements. Those that are asked for in one round of the worker's loop, or while the rate
/// lets no statement go, leave together, 500 at most. So a thousand tokens that come at once, after a restart with an
/// empty Redis, cost what ten do. Worker-local; lives as long as the worker.
class read_batches {
 public:
  read_batches(asio::io_context& io, store::auth_reader& reader, read_rates rates);

  struct landed {
    std::optional<token_record> record{};  ///< nothing: there is no such token
    steady::time_point sent{};             ///< when the statement left
  };
  /// Throws `unavailable` when PostgreSQL is gone, or the line is full.
  task<landed> read(sha256_digest digest, read_payer payer);

 private:
  static constexpr std::size_t most_digests = 500;
  /// Ten statements' worth; more would wait longer than a request may.
  static constexpr std::size_t most_waiting = 5'000;

  using pending = svc::pending<sha256_digest, landed>;
  using pending_ptr = std::shared_ptr<pending>;
  struct lane {
    lane(double rate, int most_sent) : pace(rate), most_sent(most_sent) {}
    statement_pace pace;
    int most_sent;  ///< statements on their way at once: the rest of the pool is others'
    int sent = 0;
    bool leaving = false;
    fair_line<pending_ptr> waiting{most_waiting};
  };

  void wake(lane& of);
  task<> depart(lane& of);
  task<> send(lane& of, std::vector<pending_ptr> batch);

  asio::io_context& io_;
  store::auth_reader& reader_;
  lane unseen_, seen_;
};

}  // namespace svc::access
