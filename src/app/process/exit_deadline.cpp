#include "app/process/exit_deadline.hpp"

#include "svc/core/log.hpp"
#include "svc/core/thread_name.hpp"

#include <unistd.h>
#include <csignal>

namespace svc::app {
namespace {

/// Time for the last log lines, because their reader may hang too.
constexpr milliseconds for_log{300};

}  // namespace

exit_deadline::exit_deadline(milliseconds patience)
    : patience_(patience), signals_(io_, SIGTERM, SIGINT), over_(io_) {
  signals_.async_wait([this](boost::system::error_code failed, int) {
    if (failed) return;
    over_.expires_after(patience_);
    over_.async_wait([this](boost::system::error_code cancelled) {
      if (!cancelled) end_process();
    });
  });
  thread_ = std::thread([this] {
    name_this_thread("exit");
    io_.run();
  });
}

exit_deadline::~exit_deadline() {
  io_.stop();
  thread_.join();
}

void exit_deadline::end_process() const {
  log::error("the process did not end in time after its signal; it ends now, whatever its threads do",
             {{"afterMs", patience_.count()}});
  std::thread([] { log::stop(); }).detach();
  std::this_thread::sleep_for(for_log);
  ::_exit(exit_code);
}

}  // namespace svc::app
