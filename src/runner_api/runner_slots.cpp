#include "svc/runner_api/runner_slots.hpp"

namespace svc::runner_api {

runner_slots::slot runner_slots::take(uuid token, runner_work work) {
  auto const found = tokens_.find(token);
  auto const own = found == tokens_.end() ? counts{} : found->second;
  bool const claims = work == runner_work::claim;
  if (all_.sum() >= most_.all || own.sum() >= most_.of_token) return {};
  if (claims && (all_.claims >= most_.claims || own.claims >= most_.claims_of_token)) return {};
  return {*this, token, work};
}

void runner_slots::count(uuid token, runner_work work, int change) {
  auto& own = tokens_[token];
  auto const add = [change](std::size_t& last) { last += static_cast<std::size_t>(change); };
  add(work == runner_work::claim ? all_.claims : all_.keeping);
  add(work == runner_work::claim ? own.claims : own.keeping);
  if (own.sum() == 0) tokens_.erase(token);
}

}  // namespace svc::runner_api
