#include "model/simulator.hpp"

namespace svc::model {
namespace {

constexpr std::array<char const*, 42> names{"request arrives",
                                            "request acts",
                                            "request hears",
                                            "request confirms its secret",
                                            "request tells Redis",
                                            "request has waited long enough",
                                            "request writes",
                                            "read takes its snapshot",
                                            "read lands",
                                            "read fails",
                                            "change prepares",
                                            "change gets its lock",
                                            "change collects and bumps",
                                            "change commits",
                                            "change publishes",
                                            "change raises",
                                            "change has waited long enough",
                                            "change answers",
                                            "change's transaction is ended by PostgreSQL",
                                            "a late raise runs",
                                            "a put runs",
                                            "relay reads the outbox",
                                            "relay raises",
                                            "relay marks",
                                            "worker mends",
                                            "worker loses its trust in Redis",
                                            "worker reaches Redis again",
                                            "Redis is flushed",
                                            "an epoch is evicted",
                                            "a record is evicted",
                                            "Redis replicates",
                                            "Redis fails over",
                                            "PostgreSQL replicates",
                                            "PostgreSQL fails over",
                                            "a change's instance dies",
                                            "a tick",
                                            "a worker loses Redis",
                                            "Redis stands still",
                                            "Redis goes on",
                                            "Redis begins again",
                                            "a change's instance stands still",
                                            "a change's instance goes on"};
constexpr std::array<char const*, 5> fates{"", " (reply lost)", " (lost)", " (later, nobody waits)", " (slowly)"};
constexpr std::array<char const*, 6> steps{"fetch", "read", "lift", "admit", "local", "finish"};
constexpr std::array<char const*, 4> purposes{"use", "confirm", "refused", "anonymous"};
constexpr std::array<char const*, 4> modes{"none", "cached", "fresh", "forced"};
constexpr std::array<char const*, 16> edits{"revoke",
                                            "disable",
                                            "enable",
                                            "role",
                                            "ban",
                                            "create",
                                            "rotate",
                                            "rotate (first use)",
                                            "rotate (at once)",
                                            "archive the project",
                                            "set the policy",
                                            "grant a role",
                                            "set the password",
                                            "sign in",
                                            "sign in again",
                                            "delete the ended session"};

std::string of_request(request const& q) {
  std::string out = " worker " + std::to_string(q.worker) + " token " + std::to_string(q.token);
  if (q.phase == going::act) {
    out += std::string(": ") + steps.at(q.step);
    if (static_cast<access::step>(q.step) == access::step::admit) {
      out += std::string(" ") + purposes.at(q.about) + " " + modes.at(q.mode) + " " + std::to_string(q.epoch);
    }
  }
  return out;
}

std::string epochs(std::array<u8, max_subjects> const& value) {
  std::string out;
  for (u8 e : value) out += " " + std::to_string(e);
  return out;
}

}  // namespace

bool is_environment(step s) {
  return s.kind >= step::step_kind::flush;
}

std::string describe(step n, state const& s) {
  using step_kind = step::step_kind;
  std::string out = names.at(static_cast<std::size_t>(n.kind)) + std::string(" #") + std::to_string(n.owner);
  if (n.kind <= step_kind::write) out += of_request(s.requests[n.owner]);
  if (n.kind >= step_kind::snapshot && n.kind <= step_kind::fail) {
    flight const& f = s.flights[n.owner];
    out += " worker " + std::to_string(f.worker) + " token " + std::to_string(f.token);
  }
  if (n.kind >= step_kind::prepare && n.kind <= step_kind::time_out) {
    change const& c = s.changes[n.owner];
    out += std::string(" ") + edits.at(static_cast<std::size_t>(c.kind)) + " " + std::to_string(c.target) +
           " worker " + std::to_string(c.worker);
  }
  out += fates.at(n.settings);
  return out + "   | PostgreSQL" + epochs(s.truth.epoch) + ", Redis" + epochs(s.cache.epoch);
}

}  // namespace svc::model
