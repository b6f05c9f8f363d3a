#include "app/process/process_metrics.hpp"

#include "svc/core/log.hpp"
#include "svc/core/time.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace svc::app {
namespace {

double seconds_of(timeval const& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

}  // namespace

process_metrics::process_metrics(metrics& m)
    : cpu_(m.make_counter("process_cpu_seconds_total", "User and system time")),
      log_dropped_(m.make_counter("svc_log_lines_dropped_total", "Lines that standard error did not take in time")),
      resident_(m.make_gauge("process_resident_memory_bytes", "Resident memory")),
      virtual_(m.make_gauge("process_virtual_memory_bytes", "Virtual memory")),
      open_files_(m.make_gauge("process_open_fds", "Open file descriptors")),
      most_files_(m.make_gauge("process_max_fds", "Limit of open file descriptors")),
      started_(m.make_gauge("process_start_time_seconds", "When the process started, in Unix time")) {
  started_.set(static_cast<double>(system_now().micros) / 1e6);
}

void process_metrics::show() const {
  rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) == 0) cpu_.raise_to(seconds_of(used.ru_utime) + seconds_of(used.ru_stime));
  log_dropped_.raise_to(static_cast<double>(log::dropped()));
  double pages = 0, resident = 0;
  if (std::ifstream("/proc/self/statm") >> pages >> resident) {
    auto const page = static_cast<double>(::sysconf(_SC_PAGESIZE));
    virtual_.set(pages * page);
    resident_.set(resident * page);
  }
  std::error_code unreadable;
  std::filesystem::directory_iterator const files("/proc/self/fd", unreadable);
  // One of the descriptors is open only to read the directory.
  if (!unreadable) open_files_.set(static_cast<double>(std::distance(begin(files), end(files)) - 1));
  rlimit most{};
  if (::getrlimit(RLIMIT_NOFILE, &most) == 0) most_files_.set(static_cast<double>(most.rlim_cur));
}

}  // namespace svc::app
