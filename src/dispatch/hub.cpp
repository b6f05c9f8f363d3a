#include "svc/dispatch/hub.hpp"

#include "dispatch/line.hpp"

#include <boost/asio/post.hpp>

namespace svc::dispatch {

hub::hub(asio::io_context& io, redis::settings where)
    : ear_(io, std::move(where), *this), name_(uuid::generate_v7().to_string()) {}

std::size_t hub::join(std::weak_ptr<dispatch_inbox> one) {
  inboxes_.push_back(std::move(one));
  return inboxes_.size() - 1;
}

void hub::start() {
  ear_.start();
  ear_.subscribe(std::string(dispatch_channel));
}

void hub::stop() {
  ear_.stop();
}

void hub::pass(std::size_t from, dispatch_news what) {
  step(from, 1, std::move(what), true);
}

/// The inbox `done` places behind `first` is the next; when all have had the news, the one that began publishes.
void hub::step(std::size_t first, std::size_t done, dispatch_news what, bool from_here) {
  bool const over = done == inboxes_.size();
  if (over && !from_here) return;
  auto const next = inboxes_[(first + done) % inboxes_.size()].lock();
  if (!next) return;
  asio::post(next->io(), [this, next, first, done, over, from_here, what = std::move(what)] {
    if (over) return next->publish(what);
    if (auto left = next->take(what)) step(first, done + 1, std::move(*left), from_here);
  });
}

void hub::on_message(std::string_view, std::string_view payload) {
  auto message = read_dispatch(payload);
  if (message.from == name_ || inboxes_.empty()) return;
  for (auto& one : message.news) step(0, 0, std::move(one), false);
}

}  // namespace svc::dispatch
