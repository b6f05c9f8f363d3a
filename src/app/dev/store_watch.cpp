#include "app/dev/stores.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <stdexcept>

namespace svc::app::dev {

store_watch::store_watch(std::vector<store> stores, std::function<void(std::string const&)> say)
    : say_(std::move(say)), stop_(eventfd(0, EFD_CLOEXEC)) {
  if (stop_ < 0) throw std::runtime_error("eventfd failed");
  // Signals belong to the threads that serve.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this, stores = std::move(stores)] { run(stores); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

store_watch::~store_watch() {
  std::uint64_t const count = 1;
  // The first 1 always fits into an eventfd.
  static_cast<void>(!write(stop_, &count, sizeof(count)));
  thread_.join();
  close(stop_);
}

void store_watch::run(std::vector<store> left) const {
  for (;;) {
    std::vector<pollfd> waiting{{stop_, POLLIN, 0}};
    for (auto const& s : left) waiting.push_back({s.process->descriptor(), POLLIN, 0});
    if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) return;
    if (waiting[0].revents != 0) return;
    std::erase_if(left, [&](store const& s) {
      auto const code = s.process->wait(milliseconds(0));
      if (code)
        say_(s.name + " has ended (exit code " + std::to_string(*code) +
             "). The service goes on without it; svcd dev does not restart it.");
      return code.has_value();
    });
  }
}

}  // namespace svc::app::dev
