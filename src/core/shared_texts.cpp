#include "svc/core/shared_texts.hpp"
#include "svc/core/spawn_task.hpp"

namespace svc {
namespace {

/// The promise of a worker to make a text. The destructor reports the end, with or without a text.
struct making {
  making(text_exchange& exchange, std::string key) : exchange(exchange), key(std::move(key)) {}
  making(making const&) = delete;
  making& operator=(making const&) = delete;
  ~making() { exchange.finish(key, text); }

  text_exchange& exchange;
  std::string key;
  shared_text_ptr text{};
};

}  // namespace

shared_text_ptr shared_texts::in_use(std::string const& key) const {
  auto const found = texts_.find(key);
  return found == texts_.end() ? nullptr : found->second.lock();
}

task<result<shared_text_ptr>> shared_texts::find(std::string key, maker make, deadline until) {
  if (auto text = in_use(key)) co_return std::move(text);
  auto flight = flights_.find(key);
  if (!flight) {
    flight = flights_.lead(key);
    spawn_task(io_, fly(std::move(key), flight, std::move(make), until));
  }
  co_await flights::wait(flight, until);
  if (!flight->done) throw unavailable("a large text was not read within the deadline");
  if (flight->outcome.failure) std::rethrow_exception(flight->outcome.failure);
  co_return *flight->outcome.made;
}

task<> shared_texts::fly(std::string key, flights::flight_ptr flight, maker make, deadline until) {
  try {
    flight->outcome.made = co_await get(key, std::move(make), until);
    if (*flight->outcome.made) keep(key, **flight->outcome.made);
  } catch (...) {
    flight->outcome.failure = std::current_exception();
  }
  flights_.remove(key, flight);
  flights::complete(flight);
}

/// Makes the text, unless another worker has it or makes it.
task<result<shared_text_ptr>> shared_texts::get(std::string key, maker make, deadline until) {
  if (exchange_ == nullptr) co_return co_await make();
  while (!until.passed()) {
    auto const answer = std::make_shared<text_exchange::waiter>(io_.get_executor(), until);
    auto const turn = exchange_->ask(key, answer);
    if (turn.text) co_return turn.text;
    if (turn.makes) {
      making mine(*exchange_, std::move(key));
      auto made = co_await make();
      if (made) mine.text = *made;
      co_return made;
    }
    auto const given = co_await answer->wait();
    // The other worker may have failed for a reason of its own, such as the share of its own user.
    if (given && *given) co_return *given;
  }
  throw unavailable("a large text was not read within the deadline");
}

void shared_texts::keep(std::string const& key, shared_text_ptr const& text) {
  // Each entry left has a text in use, so the accounts that the texts hold bound their number.
  std::erase_if(texts_, [](auto const& each) { return each.second.expired(); });
  if (text) texts_[key] = text;
}

}  // namespace svc
