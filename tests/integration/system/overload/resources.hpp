#pragma once

#include "support/fleet.hpp"

#include <doctest/doctest.h>

namespace svc::test {

/// An id that does not exist.
inline std::string const nobody = "01934f2e-0000-7d3e-9b1f-5a2c8e4d6f70";

/// The id in the answer to a creation.
inline std::string id_of(answer const& made) {
  REQUIRE(made.status == 201);
  auto const id = text_of(body_of(made), "/id");
  CHECK(made.header("location").value_or("").ends_with("/" + id));
  return id;
}

}  // namespace svc::test
