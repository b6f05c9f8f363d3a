#include "cli/program.hpp"

int main(int argc, char** argv) {
  return svc::cli::run_program(argc, argv);
}
