#include "app/command_line.hpp"

/// Read by jemalloc at start: freed pages go back to the system after a second or so even when nothing allocates, so
/// that memory that was needed during an attack is given back. Blocks of 8 MiB and more are kept that long as well:
/// to fill new pages costs a page fault for each.
extern "C" char const* malloc_conf;
char const* malloc_conf = "background_thread:true,dirty_decay_ms:2000,muzzy_decay_ms:0,oversize_threshold:0";

int main(int argc, char** argv) {
  return svc::app::run_command_line(argc, argv);
}
