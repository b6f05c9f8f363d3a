#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace svc::test {

/// Compares the part of a page between `<!-- NAME: generated -->` and `<!-- NAME: end -->` with the text from the
/// sources; when REWRITE_PAGES is set, writes it first.
inline void check_generated_part(std::string const& path, std::string const& name, std::string const& expected) {
  std::ifstream in(path, std::ios::binary);
  std::string page{std::istreambuf_iterator<char>(in), {}};
  std::string const begin = "<!-- " + name + ": generated -->\n\n";
  std::string const end = "\n<!-- " + name + ": end -->";
  auto const from = page.find(begin);
  auto const to = page.find(end, from == std::string::npos ? 0 : from + begin.size() - 1);
  if (from == std::string::npos || to == std::string::npos) throw std::runtime_error(path + " has no part " + name);
  auto const start = from + begin.size();
  auto const found = to < start ? std::string() : page.substr(start, to - start);
  if (std::getenv("REWRITE_PAGES") != nullptr && found != expected) {
    page.replace(start, to < start ? 0 : to - start, expected);
    std::ofstream(path, std::ios::binary) << page;
    return;
  }
  INFO(path, " is out of date: run its unit test with REWRITE_PAGES=1");
  CHECK(found == expected);
}

}  // namespace svc::test
