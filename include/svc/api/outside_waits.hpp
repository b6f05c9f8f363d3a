#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

namespace svc::api {

/// Requests of class `probe` that wait for what happens outside: for a check, or for a provider's answer. They take
/// no place of `http.in_flight` meanwhile, so that they have a bound of their own, of which one organization has a
/// quarter at most. Worker-local; places may outlive it.
class outside_waits {
  struct state {
    std::size_t most = 0;
    std::size_t all = 0;
    std::unordered_map<uuid, std::size_t, uuid_hash> of_organization{};
  };

 public:
  explicit outside_waits(std::size_t most) : state_(std::make_shared<state>(state{.most = most})) {}

  /// Held while the request waits.
  class place {
   public:
    place(std::shared_ptr<state> in, uuid organization) : in_(std::move(in)), organization_(organization) {}
    place(place&&) noexcept = default;
    place& operator=(place&&) = delete;
    ~place() {
      if (!in_) return;
      --in_->all;
      if (auto const mine = in_->of_organization.find(organization_); --mine->second == 0)
        in_->of_organization.erase(mine);
    }

   private:
    std::shared_ptr<state> in_;
    uuid organization_;
  };

  /// `overloaded` when too many wait already, in all or of this organization.
  result<place> enter(uuid const& organization) {
    auto& in = *state_;
    auto const share = std::max<std::size_t>(1, in.most / 4);
    auto const mine = in.of_organization.find(organization);
    if (in.all >= in.most || (mine != in.of_organization.end() && mine->second >= share)) return errc::overloaded;
    ++in.all;
    ++in.of_organization[organization];
    return place(state_, organization);
  }

  std::size_t waiting() const { return state_->all; }

 private:
  std::shared_ptr<state> state_;
};

/// When such a request gives up, instead of at `call::until`: after what its attempts may take and 5 s, at most 60 s.
inline deadline outside_deadline(steady::duration attempts) {
  return deadline::after(std::min<steady::duration>(attempts + std::chrono::seconds(5), std::chrono::seconds(60)));
}

}  // namespace svc::api
