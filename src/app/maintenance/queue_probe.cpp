#include "app/maintenance/queue_probe.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace svc::app {
namespace {

int make_event() {
  int const made = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (made < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  return made;
}

}  // namespace

queue_probe::queue_probe(asio::io_context& io, steady::duration target,
                         std::function<steady::duration(steady::time_point now)> further, metrics& counters,
                         std::string const& worker)
    : shedder_(
          target, [this](steady::time_point ready) { send(ready); }, std::move(further)),
      timer_(io),
      event_(io, make_event()),
      waits_(counters.make_histogram("svc_worker_queue_seconds",
                                     "Time that ready work waits for its turn in the event loop",
                                     {{"worker", worker}})),
      level_(counters.make_gauge(
          "svc_load_shedding_level",
          "Refused because of overload: 1 all lists and new streams, 2 reads as well, 3 everything",
          {{"worker", worker}})) {}

void queue_probe::send(steady::time_point ready) {
  timer_.expires_at(ready);
  timer_.async_wait([this](boost::system::error_code const& failed) {
    if (!failed) wait_in_line();
  });
}

void queue_probe::wait_in_line() {
  event_.async_wait(asio::posix::stream_descriptor::wait_read, [this](boost::system::error_code const& failed) {
    if (failed) return;
    std::uint64_t ignored = 0;
    static_cast<void>(::read(event_.native_handle(), &ignored, sizeof ignored));
    waits_.observe(std::chrono::duration<double>(shedder_.returned(steady::now())).count());
    level_.set(shedder_.level());
  });
  std::uint64_t const count = 1;
  static_cast<void>(::write(event_.native_handle(), &count, sizeof count));
}

}  // namespace svc::app
