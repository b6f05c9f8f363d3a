#include "app/command_line.hpp"

/// Read by jemalloc at start: freed pages go back to the system after a second or so even when nothing allocates, so
/// that memory held while attacked is given back. Huge pages, where the system has them (transparent_hugepage is
/// `madvise` or `always`): what libpq copies of a script of 5 MiB is new memory each time, and costs a few page
/// faults instead of 1280 in one turn of the event loop. For the same reason blocks of 8 MiB and more are kept for a
/// moment like smaller ones. An idle process is 20 MB larger by that.
extern "C" char const* malloc_conf;
char const* malloc_conf =
    "background_thread:true,dirty_decay_ms:2000,muzzy_decay_ms:0,thp:always,oversize_threshold:0";

int main(int argc, char** argv) {
  return svc::app::run_command_line(argc, argv);
}
