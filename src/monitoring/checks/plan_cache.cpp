#include "monitoring/checks/plan_cache.hpp"

#include <utility>

namespace svc::checks {

plan_cache::~plan_cache() {
  while (!used_.empty()) drop(used_.begin());
}

check_plan const* plan_cache::find(uuid const& monitor, std::int64_t check_version, std::chrono::seconds interval) {
  auto const found = plans_.find(monitor);
  if (found == plans_.end()) return nullptr;
  auto const& plan = found->second->plan;
  if (plan.check_version != check_version || plan.interval != interval) return nullptr;
  used_.splice(used_.begin(), used_, found->second);
  auto& own = projects_.at(found->second->project).used;
  own.splice(own.begin(), own, found->second->in_project);
  return &plan;
}

void plan_cache::make_room(uuid const& project, std::size_t bytes) {
  while (bytes_ + bytes > most_bytes_) {
    auto const own = projects_.find(project);
    bool const over_share = own != projects_.end() && own->second.bytes + bytes > most_bytes_ / 4;
    if (over_share && book_ != nullptr) book_->refuse({.project = project}, account_decision::project_exhausted);
    drop(over_share ? plans_.at(own->second.used.back()) : std::prev(used_.end()));
  }
}

void plan_cache::keep(uuid const& project, uuid const& monitor, check_plan plan) {
  remove(monitor);
  if (plan.bytes > most_bytes_) return;
  make_room(project, plan.bytes);
  bytes_ += plan.bytes;
  if (book_ != nullptr) book_->charge({.project = project}, plan.bytes);
  auto& own = projects_[project];
  own.bytes += plan.bytes;
  own.used.push_front(monitor);
  used_.push_front({project, monitor, std::move(plan), own.used.begin()});
  plans_.emplace(monitor, used_.begin());
}

void plan_cache::remove(uuid const& monitor) {
  if (auto const found = plans_.find(monitor); found != plans_.end()) drop(found->second);
}

void plan_cache::drop(entries::iterator entry) {
  bytes_ -= entry->plan.bytes;
  if (book_ != nullptr) book_->release({.project = entry->project}, entry->plan.bytes);
  auto const own = projects_.find(entry->project);
  own->second.bytes -= entry->plan.bytes;
  own->second.used.erase(entry->in_project);
  if (own->second.used.empty()) projects_.erase(own);
  plans_.erase(entry->monitor);
  used_.erase(entry);
}

}  // namespace svc::checks
