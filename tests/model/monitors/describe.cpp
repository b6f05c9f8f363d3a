#include "model/monitors/steps.hpp"

namespace svc::model::monitors {

std::string describe(step s, state const& before, world const& where) {
  static constexpr char const* kinds[] = {"a tick",
                                          "checks",
                                          "makes the requested check",
                                          "the parent's check",
                                          "looks",
                                          "counts",
                                          "locks",
                                          "goes on",
                                          "commits, unheard",
                                          "crashes",
                                          "the user's edit"};
  std::string out = kinds[static_cast<std::size_t>(s.kind)];
  if (s.kind == step::step_kind::edit) {
    static constexpr char const* edits[] = {"none",   "pause",       "resume",        "change",
                                            "mute",   "unmute",      "take provider", "acknowledge",
                                            "remove", "open window", "end window",    "drop parent"};
    out += std::string(" ") + edits[static_cast<std::size_t>(where.edits[before.user.next])] + ", statement " +
           std::to_string(static_cast<int>(before.user.phase));
  } else if (s.kind != step::step_kind::tick && s.kind != step::step_kind::parent) {
    out = (s.owner == worker_count ? "the user" : "worker " + std::to_string(s.owner)) + " " + out;
  }
  if (s.kind == step::step_kind::probe) out += " location " + std::to_string(s.location);
  if (s.outcome != 0) out += std::string(" ") + static_cast<char>(s.outcome);
  return out + "   [tick " + std::to_string(before.now) + ", verdict " + std::to_string(before.rows.monitor.verdict) +
         "]";
}

}  // namespace svc::model::monitors
