#pragma once

#include "postgres/pipeline.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc::postgres {

// Conversations of a pipeline with its server as strings, with one letter for each message.

inline query const select_one{{"one", "SELECT 1"}};
inline query const select_two{{"two", "SELECT 2"}};

/// One letter per message: B, S(ettings), P(repare), E(xecute), D(irect), C(ommit), R(ollback), `.` for Sync,
/// O for a BEGIN of a read-only transaction.
inline std::string letters(std::vector<step> const& steps) {
  std::string out;
  for (step const& s : steps) out += "BSPEDCR.O"[static_cast<std::size_t>(s.content)];
  return out;
}

/// A recorded answer: v(alue), a(borted), `;` end, u(nique violation), f(atal 57P01), t(imeout 57014), s(tale 0A000),
/// l(ost), i/o/x: Sync while idle, in an open, in a failed transaction; ? foreign, q unknown state.
inline event decode(char c) {
  switch (c) {
    case 'v':
      return {.content = event::kind::value};
    case 'a':
      return {.content = event::kind::aborted};
    case ';':
      return {.content = event::kind::end};
    case 'u':
      return {.content = event::kind::error, .sqlstate = "23505"};
    case 'f':
      return {.content = event::kind::error, .sqlstate = "57P01"};
    case 't':
      return {.content = event::kind::error, .sqlstate = "57014"};
    case 's':
      return {.content = event::kind::error, .sqlstate = "0A000"};
    case 'l':
      return {.content = event::kind::error, .sqlstate = ""};
    case 'i':
      return {.content = event::kind::sync, .state = event::transaction::none};
    case 'o':
      return {.content = event::kind::sync, .state = event::transaction::open};
    case 'x':
      return {.content = event::kind::sync, .state = event::transaction::failed};
    case 'q':
      return {.content = event::kind::sync, .state = event::transaction::unknown};
    default:
      return {.content = event::kind::foreign};
  }
}

/// The reactions, one letter each: `-` continue, R(ows), E(rror), D(one), X close.
inline std::string play(pipeline& p, std::string_view answers) {
  std::string out;
  for (char const c : answers) out += "-REDX"[static_cast<std::size_t>(p.on(decode(c)))];
  return out;
}

inline std::vector<query> batch(int size) {
  return size == 0 ? std::vector<query>{} : size == 1 ? std::vector{select_one} : std::vector{select_one, select_two};
}

/// A pipeline in the wanted phase, with its statements known when `warm`.
inline pipeline in_phase(pipeline::phase wanted, bool prepared, bool warm) {
  using phase = pipeline::phase;
  pipeline p(prepared);
  if (warm && prepared) {
    p.start(batch(2), framing::implicit);
    play(p, "v;v;v;v;i");
  }
  if (wanted == phase::ready) return p;
  p.start(batch(1), framing::begins);
  std::string const head = prepared && !warm ? "v;v;" : prepared ? "v;" : "v;v;";
  play(p, head + (wanted == phase::failed ? "u;x" : "v;o"));
  return p;
}

}  // namespace svc::postgres
