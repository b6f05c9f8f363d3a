#include "access/decision_log.hpp"

#ifdef SVC_FAILPOINTS

#include <fcntl.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>

namespace svc::access::decision_log {
namespace {

int open_log() {
  char const* path = std::getenv("SVC_DECISION_LOG");
  return path == nullptr ? -1 : ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

constexpr char const* verdict_names[] = {"ok", "denied", "stale", "lost"};

void append(std::int64_t position, std::string const& subject, rate_class which, window_limit window,
            char const* verdict, char const* where) {
  static int const log = open_log();
  if (log < 0) return;
  char line[256];
  int const length =
      std::snprintf(line, sizeof line, "%lld %s %s %u %u %s %s\n", static_cast<long long>(position), subject.c_str(),
                    std::string(to_string(which)).c_str(), window.seconds, window.limit, verdict, where);
  // Each line is one write, so that the lines of instances that share the file do not mix.
  if (length > 0) static_cast<void>(::write(log, line, static_cast<std::size_t>(length)));
}

}  // namespace

void record(admission_request const& asked, admission_reply const& got) {
  auto const* const verdict = verdict_names[static_cast<int>(got.verdict)];
  auto const log = [&](std::string const& subject, rate_class which, window_limit window) {
    // The reply shows the window that refused. The other window may have had room, and counted nothing.
    if (asked.also && got.verdict == admission_verdict::denied && got.decision.which != which) return;
    append(got.decision.now_micros, subject, which, window, verdict, "shared");
  };
  log(asked.subject, asked.which, asked.window);
  if (asked.also)
    log(asked.also_subject.empty() ? asked.subject : asked.also_subject, asked.also->which, asked.also->window);
}

void record_local(std::string const& subject, limit_decision const& decided) {
  append(decided.now_micros, subject, decided.which, decided.window, decided.admitted ? "ok" : "denied", "local");
}

}  // namespace svc::access::decision_log

#endif
