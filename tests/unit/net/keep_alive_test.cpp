#include "net/body_reader.hpp"

#include <doctest/doctest.h>

using svc::http::body_framing;
using svc::http::head_summary;
using svc::net::body_state;
using svc::net::may_drain;
using svc::net::stays_open;

namespace {

constexpr std::size_t drain_limit = 100;

head_summary head(body_framing framing = body_framing::none, std::uint64_t length = 0, bool expect = false) {
  head_summary made;
  made.framing = framing;
  made.content_length = length;
  made.expect_continue = expect;
  return made;
}

}  // namespace

TEST_CASE("an unread body is drained only when it is small and certain to arrive") {
  struct row {
    char const* name;
    head_summary head;
    body_state body;
    bool expected;
  };
  for (auto const& each : {
           row{"small", head(body_framing::content_length, drain_limit - 1), body_state::untouched, true},
           row{"at the limit", head(body_framing::content_length, drain_limit), body_state::untouched, true},
           row{"over the limit", head(body_framing::content_length, drain_limit + 1), body_state::untouched, false},
           row{"chunked", head(body_framing::chunked), body_state::untouched, true},
           row{"waits for 100", head(body_framing::content_length, 1, true), body_state::untouched, false},
           row{"broken", head(body_framing::content_length, 1), body_state::broken, false},
           row{"read already", head(body_framing::content_length, 1), body_state::finished, false},
       }) {
    CAPTURE(each.name);
    CHECK(may_drain(each.head, each.body, drain_limit) == each.expected);
  }
}

TEST_CASE("a connection stays open only if neither side asks to close it and nothing prevents it") {
  struct row {
    char const* name;
    bool client, response_closes, draining;
    body_state body;
    std::uint64_t length;
    bool expected;
  };
  for (auto const& each : {
           row{"all well", true, false, false, body_state::finished, 0, true},
           row{"the client closes", false, false, false, body_state::finished, 0, false},
           row{"the service closes", true, true, false, body_state::finished, 0, false},
           row{"draining", true, false, true, body_state::finished, 0, false},
           row{"small body left", true, false, false, body_state::untouched, drain_limit, true},
           row{"large body left", true, false, false, body_state::untouched, drain_limit + 1, false},
           row{"small body left, draining", true, false, true, body_state::untouched, drain_limit, false},
           row{"broken body", true, false, false, body_state::broken, 1, false},
       }) {
    CAPTURE(each.name);
    auto asked = head(body_framing::content_length, each.length);
    asked.keep_alive = each.client;
    CHECK(stays_open(asked, each.body, drain_limit, each.response_closes, each.draining) == each.expected);
  }
}
