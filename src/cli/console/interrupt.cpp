#include "cli/console/interrupt.hpp"

#include "cli/console/failure.hpp"

#include <unistd.h>
#include <csignal>

namespace svc::cli {
namespace {

// The one global: a signal handler can reach nothing else.
std::sig_atomic_t volatile came = 0;

void on_signal(int number) {
  if (came != 0) ::_exit(128 + number);
  came = number;
}

}  // namespace

void take_signals() {
  struct sigaction action{};
  action.sa_handler = on_signal;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

bool interrupted() {
  return came != 0;
}

void clear_interruption() {
  came = 0;
}

void throw_if_interrupted() {
  if (interrupted()) throw failure(exit_code::interrupted, "interrupted", "Interrupted.");
}

}  // namespace svc::cli
