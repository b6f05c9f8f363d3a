#include "postgres/held_connections.hpp"

#include "svc/postgres/pool.hpp"

namespace svc::postgres {

namespace {

bool is_common(account_owner const& owner) {
  return owner.project == uuid();
}

}  // namespace

account_terms terms_of_connections(settings const& settings, int pools) {
  auto const times = [&](int amount) { return static_cast<std::size_t>(amount) * static_cast<std::size_t>(pools); };
  return {.name = "database_connections",
          .total = times(settings.size),
          .project_share = times(project_share(settings.size)),
          .organisation_share = times(organisation_share(settings.size))};
}

void held_connections::take(account_owner const& owner) {
  ++all_;
  if (is_common(owner)) {
    ++common_;
  } else {
    ++projects_[owner.project];
    ++organisations_[owner.organisation];
  }
  if (shown_ != nullptr) shown_->charge(owner, 1);
}

void held_connections::give_back(account_owner const& owner) {
  --all_;
  if (is_common(owner)) {
    --common_;
  } else {
    subtract(projects_, owner.project);
    subtract(organisations_, owner.organisation);
  }
  if (shown_ != nullptr) shown_->release(owner, 1);
}

holdings held_connections::of(account_owner const& owner) const {
  return {.all = all_,
          .project = count(projects_, owner.project),
          .organisation = count(organisations_, owner.organisation)};
}

int held_connections::room(account_owner const& owner, bool tenants_wait) const {
  if (is_common(owner)) return room_of_common(size_, common_, tenants_wait);
  return room_of_project(size_, of(owner));
}

void held_connections::note_exhausted(account_owner const& owner) const {
  if (shown_ == nullptr || is_common(owner)) return;
  bool const whole = of(owner).organisation >= organisation_share(size_);
  shown_->refuse(owner, whole ? account_decision::organisation_exhausted : account_decision::project_exhausted);
}

int held_connections::count(counts const& counts, uuid const& id) {
  auto const found = counts.find(id);
  return found == counts.end() ? 0 : found->second;
}

void held_connections::subtract(counts& counts, uuid const& id) {
  auto const found = counts.find(id);
  if (--found->second == 0) counts.erase(found);
}

}  // namespace svc::postgres
