#include "app/process/process_setup.hpp"

#include "svc/api/handlers.hpp"
#include "svc/core/build_info.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"
#include "svc/runner_api/runner_api.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace svc::app {
namespace {

/// Returns the name of this machine as one word.
std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "unknown";
  std::string out(name.data());
  std::ranges::replace_if(out, [](char c) { return c <= ' ' || c > '~'; }, '?');
  return out;
}

}  // namespace

void forbid_dumps() {
#ifdef NDEBUG
  rlimit const none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_DUMPABLE, 0);
#endif
}

void ignore_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
}

bool set_failpoints() {
#ifdef SVC_FAILPOINTS
  if (char const* spec = std::getenv("SVC_FAILPOINTS"); spec != nullptr && !failpoint::configure(spec)) {
    log::error("SVC_FAILPOINTS cannot be read");
    return false;
  }
#endif
  return true;
}

instance_identity make_identity(std::string address) {
  auto const& build = this_build();
  return {.id = uuid::generate_v7(),
          .version = std::string(build.version),
          .commit = std::string(build.commit),
          .host = host_name(),
          .address = std::move(address)};
}

void show_build(metrics& counters) {
  auto const& build = this_build();
  counters
      .make_gauge("svc_build_info", "1; the labels say which program this is",
                  {{"version", std::string(build.version)}, {"commit", std::string(build.commit)}})
      .set(1);
}

std::shared_ptr<http::contract const> load_public_contract() {
  api::handlers().check(*http::contract::load(embedded::openapi_json));
  api::dashboard_handlers().check(*http::contract::load(embedded::dashboard_json));
  return http::contract::load({embedded::openapi_json, embedded::dashboard_json});
}

std::shared_ptr<http::contract const> load_internal_contract() {
  auto contract = http::contract::load(embedded::internal_json);
  runner_api::handlers().check(*contract);
  return contract;
}

}  // namespace svc::app
