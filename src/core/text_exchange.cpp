#include "svc/core/text_exchange.hpp"

#include <utility>

namespace svc {

text_exchange::turn text_exchange::ask(std::string const& key, std::shared_ptr<waiter> const& waiter) {
  std::lock_guard const guard(lock_);
  auto& entry = texts_[key];
  if (auto text = entry.text.lock()) return {.text = std::move(text)};
  if (!std::exchange(entry.being_made, true)) return {.makes = true};
  entry.waiting.push_back(waiter);
  return {};
}

void text_exchange::finish(std::string const& key, shared_text_ptr const& made) {
  std::vector<std::weak_ptr<waiter>> waiting;
  {
    std::lock_guard const guard(lock_);
    auto& entry = texts_[key];
    entry.being_made = false;
    entry.text = made;
    waiting.swap(entry.waiting);
    // Each remaining entry has a text that is in use or being made. So the accounts, which the texts are charged to,
    // bound the number of entries.
    std::erase_if(texts_, [](auto const& each) { return !each.second.being_made && each.second.text.expired(); });
  }
  for (auto const& each : waiting)
    if (auto answer = each.lock()) waiter::give(std::move(answer), made);
}

std::size_t text_exchange::size() const {
  std::lock_guard const guard(lock_);
  return texts_.size();
}

}  // namespace svc
