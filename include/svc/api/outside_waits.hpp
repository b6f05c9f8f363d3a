#pragma once

#include "svc/core/account.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

namespace svc::api {

/// Limits the requests of class `probe`, which wait for events outside: a check, or a provider's answer. They
/// hold no slot of `http.in_flight` meanwhile, so they have a limit of their own. One organization has at
/// most a quarter of it. Worker-local; slots may outlive it.
class outside_waits {
  struct state {
    std::size_t most = 0;
    std::size_t all = 0;
    std::unordered_map<uuid, std::size_t, uuid_hash> of_organization{};
    account* book = nullptr;
    std::size_t share() const { return std::max<std::size_t>(1, most / 4); }
  };

 public:
  /// Returns the terms of the account in which `workers` objects of this kind book their slots.
  static account_terms terms(std::size_t most, std::size_t workers) {
    return {.name = "outside_waits",
            .total = most * workers,
            .project_share = SIZE_MAX,
            .organisation_share = state{.most = most}.share() * workers};
  }
  /// `book` outlives this object and its slots; null for none.
  explicit outside_waits(std::size_t most, account* book = nullptr)
      : state_(std::make_shared<state>(state{.most = most, .book = book})) {}

  /// Held while the request waits.
  class slot {
   public:
    slot(std::shared_ptr<state> state, uuid organization) : state_(std::move(state)), organization_(organization) {}
    slot(slot&&) noexcept = default;
    slot& operator=(slot&&) = delete;
    ~slot() {
      if (!state_) return;
      --state_->all;
      if (state_->book != nullptr) state_->book->release({.organisation = organization_}, 1);
      if (auto const mine = state_->of_organization.find(organization_); --mine->second == 0)
        state_->of_organization.erase(mine);
    }

   private:
    std::shared_ptr<state> state_;
    uuid organization_;
  };

  /// Fails with `overloaded` if too many requests wait already, in all or of this organization.
  result<slot> enter(uuid const& organization) {
    auto& entry = *state_;
    auto const mine = entry.of_organization.find(organization);
    bool const share_used = mine != entry.of_organization.end() && mine->second >= entry.share();
    if (entry.all >= entry.most || share_used) {
      auto const decision = share_used ? account_decision::organisation_exhausted : account_decision::total_exhausted;
      if (entry.book != nullptr) entry.book->refuse({.organisation = organization}, decision);
      return errc::overloaded;
    }
    if (entry.book != nullptr) entry.book->charge({.organisation = organization}, 1);
    ++entry.all;
    ++entry.of_organization[organization];
    return slot(state_, organization);
  }

  std::size_t waiting() const { return state_->all; }

 private:
  std::shared_ptr<state> state_;
};

/// Returns the deadline of such a request, which replaces `call::until`: the longest time of its attempts plus 5 s,
/// at most 60 s from now.
inline deadline outside_deadline(steady::duration attempts) {
  return deadline::after(std::min<steady::duration>(attempts + std::chrono::seconds(5), std::chrono::seconds(60)));
}

}  // namespace svc::api
