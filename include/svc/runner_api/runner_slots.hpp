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

/// Slots for the handlers of runners' requests in one worker. A request that only waits for news gives its slot
/// back for that time. Pure; worker-local; outlives its slots.
class runner_slots {
 public:
  /// Number of requests that may work at a time.
  struct bounds {
    std::size_t all;              ///< slots of the worker
    std::size_t claims;           ///< slots for claims among them; the rest is reserved for requests that keep claims
    std::size_t of_token;         ///< slots of one token
    std::size_t claims_of_token;  ///< slots of one token for claims

    static constexpr std::size_t few = 8;

    /// Reserves half of all slots for requests that keep claims. One token has a quarter of all slots, half of them
    /// for claims. A worker with few slots shares them less strictly, because a part of few slots would be none.
    static constexpr bounds within(std::size_t all) {
      auto const part = [all](std::size_t count) { return std::max(std::min(all, few), all / count); };
      return {.all = all, .claims = part(2), .of_token = part(4), .claims_of_token = part(8)};
    }
  };

  explicit runner_slots(bounds most) : most_(most) {}
  runner_slots(runner_slots const&) = delete;
  runner_slots& operator=(runner_slots const&) = delete;

  /// A request's slot, while it has one.
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

    /// While it exists, the request waits for news and has no slot. Its destructor takes the slot again in any
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

  /// Returns an empty slot if all slots for this work, or of this token, are taken.
  slot take(uuid token, runner_work work);

  std::size_t working() const { return all_.sum(); }
  /// Number of tokens that have a slot.
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

inline runner_slots::slot runner_slots::take(uuid token, runner_work work) {
  auto const found = tokens_.find(token);
  auto const own = found == tokens_.end() ? counts{} : found->second;
  bool const claims = work == runner_work::claim;
  if (all_.sum() >= most_.all || own.sum() >= most_.of_token) return {};
  if (claims && (all_.claims >= most_.claims || own.claims >= most_.claims_of_token)) return {};
  return {*this, token, work};
}

inline void runner_slots::count(uuid token, runner_work work, int change) {
  auto& own = tokens_[token];
  auto const add = [change](std::size_t& last) { last += static_cast<std::size_t>(change); };
  add(work == runner_work::claim ? all_.claims : all_.keeping);
  add(work == runner_work::claim ? own.claims : own.keeping);
  if (own.sum() == 0) tokens_.erase(token);
}

}  // namespace svc::runner_api
