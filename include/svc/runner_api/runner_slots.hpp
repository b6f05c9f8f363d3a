#pragma once

#include "svc/core/uuid.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace svc::runner_api {

/// Purposes of runners' requests, in the order in which the worker refuses them under overload.
enum class runner_work : std::uint8_t {
  claim,  ///< claims and registrations: the runs that they would take stay queued
  keep,   ///< heartbeats, scripts, output and results of held claims: a lost one costs a lease
};

/// Places for the handlers of runners' requests in one worker. A request that only waits for news gives its place
/// back for that time. Pure; worker-local; outlives its places.
class runner_slots {
 public:
  /// Number of requests that may work at a time.
  struct bounds {
    std::size_t all;       ///< places of the worker
    std::size_t claims;    ///< places for claims among them; the rest is reserved for requests that keep claims
    std::size_t of_token;  ///< places of one token
    std::size_t claims_of_token;  ///< places of one token for claims

    static constexpr std::size_t few = 8;

    /// Reserves half of all places for requests that keep claims. One token has a quarter of all places, half of them
    /// for claims. A worker with few places shares them less strictly, because a part of few places would be none.
    static constexpr bounds within(std::size_t all) {
      auto const part = [all](std::size_t count) { return std::max(std::min(all, few), all / count); };
      return {.all = all, .claims = part(2), .of_token = part(4), .claims_of_token = part(8)};
    }
  };

  explicit runner_slots(bounds most) : most_(most) {}
  runner_slots(runner_slots const&) = delete;
  runner_slots& operator=(runner_slots const&) = delete;

  /// A request's place, while it has one.
  class slot {
   public:
    slot() = default;
    slot(slot&& other) noexcept
        : slots_(std::exchange(other.slots_, nullptr)), token_(other.token_), work_(other.work_) {}
    slot& operator=(slot&&) = delete;
    ~slot() {
      if (slots_ != nullptr) slots_->count(token_, work_, -1);
    }

    explicit operator bool() const { return slots_ != nullptr; }

    /// While it exists, the request waits for news and has no place. Its destructor takes the place again in any
    /// case, because the news is worth more than the bound.
    class rest {
     public:
      explicit rest(slot& slot) : slot_(slot) { slot_.slots_->count(slot_.token_, slot_.work_, -1); }
      rest(rest const&) = delete;
      rest& operator=(rest const&) = delete;
      ~rest() { slot_.slots_->count(slot_.token_, slot_.work_, 1); }

     private:
      slot& slot_;
    };

   private:
    friend runner_slots;
    slot(runner_slots& slots, uuid token, runner_work work) : slots_(&slots), token_(token), work_(work) {
      slots_->count(token_, work_, 1);
    }

    runner_slots* slots_ = nullptr;
    uuid token_{};
    runner_work work_ = runner_work::keep;
  };

  /// Returns an empty place if all places for this work, or of this token, are taken.
  slot take(uuid token, runner_work work);

  std::size_t working() const { return all_.sum(); }
  /// Number of tokens that have a place.
  std::size_t tokens() const { return tokens_.size(); }

 private:
  struct counts {
    std::size_t claims = 0, keeping = 0;
    std::size_t sum() const { return claims + keeping; }
  };

  void count(uuid token, runner_work work, int change);

  bounds most_;
  counts all_{};
  std::map<uuid, counts> tokens_{};
};

}  // namespace svc::runner_api
