#include "svc/core/shared_texts.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace svc {

shared_text_ptr shared_texts::in_use(std::string const& key) const {
  auto const found = texts_.find(key);
  return found == texts_.end() ? nullptr : found->second.lock();
}

task<result<shared_text_ptr>> shared_texts::find(std::string key, maker make, deadline until) {
  if (auto text = in_use(key)) co_return std::move(text);
  auto flight = flights_.find(key);
  if (!flight) {
    flight = flights_.lead(key);
    asio::co_spawn(io_, fly(std::move(key), flight, std::move(make)), asio::detached);
  }
  co_await flights::wait(flight, until);
  if (!flight->landed) throw unavailable("a large text was not read within the deadline");
  if (flight->outcome.failure) std::rethrow_exception(flight->outcome.failure);
  co_return *flight->outcome.made;
}

task<> shared_texts::fly(std::string key, flights::flight_ptr flight, maker make) {
  try {
    flight->outcome.made = co_await make();
    if (*flight->outcome.made) keep(key, **flight->outcome.made);
  } catch (...) {
    flight->outcome.failure = std::current_exception();
  }
  flights_.forget(key, flight);
  flights::land(flight);
}

void shared_texts::keep(std::string const& key, shared_text_ptr const& text) {
  // Each entry left has a text in use, so the accounts that the texts hold bound their number.
  std::erase_if(texts_, [](auto const& each) { return each.second.expired(); });
  if (text) texts_[key] = text;
}

}  // namespace svc
