#pragma once

#include "support/fleet.hpp"
#include "support/restarted_store.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// All that an installation stores, as text in which to look for secrets.

namespace svc::test {

inline std::string read_file(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string dump_postgres(fleet& fleet) {
  auto const binaries =
      std::filesystem::path(restarted_store::of(fleet.dev().pid_of("postgres")).program).parent_path();
  auto const out = fleet.text("dataDir") + "/dump.sql";
  auto const command = (binaries / "pg_dump").string() + " -d '" + fleet.owner_url() + "' -f '" + out + "'";
  REQUIRE(std::system(command.c_str()) == 0);  // NOLINT(cert-env33-c)
  return read_file(out);
}

inline std::string dump_redis(fleet& fleet) {
  REQUIRE(fleet.redis({"CONFIG", "SET", "rdbcompression", "no"}) == "OK");
  REQUIRE(fleet.redis({"SAVE"}) == "OK");
  auto const directory = fleet.redis({"CONFIG", "GET", "dir"});
  auto const path = directory.substr(4, directory.size() - 5) + "/dump.rdb";
  auto dump = read_file(path);
  std::filesystem::remove(path);
  return dump;
}

inline std::string hex(std::string const& text) {
  std::string out;
  for (unsigned char const c : text) {
    char pair[3];
    std::snprintf(pair, sizeof pair, "%02x", c);
    out += pair;
  }
  return out;
}

}  // namespace svc::test
