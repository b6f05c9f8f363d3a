#include "svc-runner/command_line.hpp"
#include "svc-runner/supervision/launcher.hpp"

#include <string_view>

int main(int argc, char** argv) {
  // The runner starts a supervisor for each test: the same program, but without its environment.
  if (argc == 2 && std::string_view(argv[1]) == svc::runner::supervise_argument)
    return svc::runner::supervise(svc::runner::supervise_descriptor);
  return svc::runner::run_command_line(argc, argv);
}
